# The manual's SQL: every block runs in psql, one after the other in one database, and the consumer loop has its effect.
# Besides, no block of another language is without a name, or it would be run by nobody.
use strict;
use warnings FATAL => 'all';

use Bindings;
use Manual;
use Test::More;

made_roles(qw(shop cashier planner));
new_database('bindings_psql');

for my $block (grep { $_->{language} eq 'sql' } blocks())
{
    my ($is_ok, $out) = runs('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', admin(), '-f', save('block.sql', $block->{text}));
    ok($is_ok, "the SQL at line $block->{line}") or diag $out;
}
is(sql_as_admin(q{SELECT string_agg(address, ' ' ORDER BY address) FROM sent}), 'a@example.org b@example.org',
    'the loop and pop had their effect');
is(sql_as_admin(q{SELECT count(*) FROM baton.peek('mail')}), '0', 'and left nothing in the queue');

my @nameless = grep { $_->{name} eq '' && $_->{language} =~ /^(?:python|javascript|java)$/ } blocks();
is(join(' ', map { $_->{line} } @nameless), '', 'all other code has a name');
my @unknown = grep { $_->{name} !~ /^(?:|(?:psycopg2?|node-pg|jdbc)-\w+)$/ } blocks();
is(join(' ', map { $_->{name} } @unknown), '', 'and a driver');
done_testing();
