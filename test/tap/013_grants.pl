# Privileges survive dump and restore: on the extension, on queues and on topics. What was void stays void, what a role
# of the other server is not there for is nobody's, and owners and segments belong to whom they did.
use strict;
use warnings FATAL => 'all';

use Baton;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = new_node('grants');
my $roles = 'CREATE ROLE app; CREATE ROLE "Odd ""name"; CREATE ROLE creator; CREATE ROLE watcher; CREATE ROLE leaver;';
$node->safe_psql('postgres', $roles . <<'SQL');
SELECT baton.grant_baton('app', 'use'), baton.grant_baton('Odd "name', 'use'), baton.grant_baton('leaver', 'use'),
    baton.grant_baton('creator', 'create_queue'), baton.grant_baton('watcher', 'monitor');
SET ROLE creator;
SELECT baton.create_queue('work'), baton.grant_queue('work', 'app', 'send'), baton.grant_queue('work', 'Odd "name', 'consume');
RESET ROLE;
SELECT baton.grant_topic('app.#', 'app'), baton.grant_topic('app.*', 'Odd "name', 'subscribe'), baton.grant_topic('all', 'public'),
    baton.grant_topic('left', 'leaver');
-- the grant is void from here on
DROP OWNED BY leaver;
DROP ROLE leaver;
CREATE ROLE leaver;
SELECT baton.grant_baton('leaver', 'use');
SQL

sub may
{
    my ($where, $db, $role, $call) = @_;
    my $role_sql = $role =~ s/"/""/gr;
    my $state = sqlstate($where, $db, qq{SET ROLE "$role_sql"; SELECT baton.$call});
    return $state eq '00000' ? 'may' : $state eq '42501' ? 'not' : $state;
}

# Who may what, in one string.
sub matrix
{
    my ($where, $db) = @_;
    my @lines;
    for my $role ('app', 'Odd "name', 'creator', 'watcher', 'leaver')
    {
        my @may = map { may($where, $db, $role, $_) } (
            q{send('work', '1')}, q{receive('work')}, q{alter_queue('work', '{}')}, q{create_queue('of ' || current_user)},
            q{publish('app.x', '1')}, q{publish('all', '1')}, q{publish('left', '1')}, q{subscribe('app.x', 'work')});
        push @lines, "$role: @may";
    }
    return join "\n", @lines;
}

my $expected = join "\n", (
    'app: may not not not may may not not',
    'Odd "name: not may not not not may not not',
    'creator: may may may may not may not not',
    'watcher: not not not not not not not not',
    'leaver: not not not not not may not not');
is(matrix($node, 'postgres'), $expected, 'who may what');
$node->safe_psql('postgres', q{SELECT baton.drop_queue('of creator')});

my $files = PostgreSQL::Test::Utils::tempdir;
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$files/dump", $node->connstr('postgres') ], 'pg_dump');
$node->command_ok([ 'pg_dumpall', '-g', '-f', "$files/globals", '-d', $node->connstr('postgres') ], 'pg_dumpall -g');

$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('copy'), "$files/dump" ], 'restored beside it');
is(matrix($node, 'copy'), $expected, 'who may what, in the copy');
is($node->safe_psql('copy', q{SELECT owner FROM baton.queues WHERE queue = 'work'}), 'creator', 'the queue has its owner');
is( $node->safe_psql('copy', q{SELECT count(*) FROM pg_class WHERE relname ~ '^q\d+_\d+$' AND pg_get_userbyid(relowner) = 'creator'}),
    '0', 'but owns no segment');
is($node->safe_psql('copy', 'SELECT baton.renew_grants()'), '6', 'what was granted on the extension is known there');
is( $node->safe_psql('copy', q{SET ROLE watcher; SELECT queue FROM baton.queues WHERE queue = 'work'}),
    'work', 'who monitors still does');

# Another server, where one of the roles came later than the dump.
my $other = new_node('other', baton => 0);
$other->safe_psql('postgres', $roles =~ s/CREATE ROLE app;//r);
$node->command_fails([ 'pg_restore', '-d', $other->connstr('postgres'), "$files/dump" ], 'restored without one of the roles, which is an error as ever');
$other->safe_psql('postgres', q{CREATE ROLE app; SELECT baton.grant_baton('app', 'use')});
is(may($other, 'postgres', 'app', q{publish('app.x', '1')}), 'not', 'a role that was not there at the restore gets no topic');
is(may($other, 'postgres', 'app', q{publish('all', '1')}), 'may', 'but what is for everybody');
is($other->safe_psql('postgres', q{SELECT count(*) FROM baton._topic_grant WHERE role = 'app' AND role_number IS NOT NULL}), '0', 'its grant is void');

# With all of them.
my $third = new_node('third', baton => 0);
$third->command_ok([ 'psql', '-X', '-q', '-f', "$files/globals", $third->connstr('postgres') ], 'roles restored');
$third->command_ok([ 'pg_restore', '--exit-on-error', '-d', $third->connstr('postgres'), "$files/dump" ], 'restored on another server');
is(matrix($third, 'postgres'), $expected, 'who may what, there');
$_->stop for $node, $other, $third;
done_testing();
