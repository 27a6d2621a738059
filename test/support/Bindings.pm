# What the tests of the drivers share: a database of their own, the run of a program that answers for itself, and the
# trial of a consumer.
#
# The server is the one that PGHOST and PGPORT name. Everything of a driver happens in a database and as a role of its
# name, which has no more rights than a consumer's owner needs.
package Bindings;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Temp ();
use IPC::Run   ();
use Manual;
use POSIX ':sys_wait_h';
use Test::More;
use Time::HiRes qw(time sleep);

our @EXPORT = qw(new_database made_roles admin sql sql_as_admin runs save save_folder lines_ok consumer_ok all_blocks_ok);

my $folder = File::Temp->newdir;
my $admin = $ENV{PGUSER};
my $database;
my @roles;
my $pid;

# --- the database ----------------------------------------------------------------------------------

# Runs psql with further arguments; dies if it fails.
sub psql
{
    my ($user, $db, @arguments) = @_;
    my ($out, $err);
    IPC::Run::run([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-U', $user, '-d', $db, @arguments ],
        '<', \undef, '>', \$out, '2>', \$err)
      or die "psql @arguments: $err";
    chomp $out;
    return $out;
}

# The answer of the test's database, asked by its role; by the superuser.
sub sql { my ($query) = @_; return psql($database, $database, '-c', $query); }
sub sql_as_admin { my ($query) = @_; return psql($admin, $database, '-c', $query); }
sub admin { return $admin; }

# From here on PGDATABASE and PGUSER name a fresh database and a plain role in it that may create queues.
sub new_database
{
    my ($name, @files) = @_;
    drop_database($name);
    psql($admin, 'postgres', '-c', "CREATE ROLE $name LOGIN", '-c', "CREATE DATABASE $name");
    psql($admin, $name, '-c', 'CREATE EXTENSION baton', '-c', "SELECT baton.grant_baton('$name', 'create_queue')",
        '-c', "GRANT CREATE ON SCHEMA public TO $name");
    $database = $name;
    psql($name, $name, '-f', $_) for @files;
    @ENV{qw(PGDATABASE PGUSER)} = ($name, $name);
    return;
}

sub drop_database
{
    my ($name) = @_;
    psql($admin, 'postgres', '-c', "DROP DATABASE IF EXISTS $name WITH (FORCE)",
        map { ('-c', "DROP ROLE IF EXISTS $_") } $name, @roles);
    return;
}

# Roles that the test is going to make, or made when it was last run: they go with its database.
sub made_roles { push @roles, @_; return; }

END
{
    my $status = $?;
    if ($pid) { kill 'KILL', $pid; waitpid $pid, 0; }
    drop_database($database) if $database;
    $? = $status;
}

# --- programs --------------------------------------------------------------------------------------

# True if the command can be run and ends well; its output in list context.
sub runs
{
    my (@command) = @_;
    my $out = '';
    my $is_ok = eval { IPC::Run::run(\@command, '<', \undef, '>', \$out, '2>&1') };
    return wantarray ? ($is_ok, $out) : $is_ok;
}

# Writes a program into the folder of this test and returns where.
sub save
{
    my ($name, $text) = @_;
    open my $file, '>', "$folder/$name" or die "$folder/$name: $!";
    print {$file} $text;
    close $file or die "$folder/$name: $!";
    return "$folder/$name";
}

sub save_folder { return "$folder"; }

# Runs a program that says "ok - what" or "not ok - what" for everything it looks at.
sub lines_ok
{
    my (@command) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($is_ok, $out) = runs(@command);
    my @answers = grep { /^(?:not )?ok - / } split /\n/, $out;
    ok(/^ok/, s/^(?:not )?ok - //r) for @answers;
    ok($is_ok && @answers > 0, 'the lines ran to their end') or diag $out;
    return;
}

# The driver's blocks in the manual were all run.
sub all_blocks_ok
{
    my ($driver) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(join(' ', unused_blocks($driver)), '', 'no line of the manual was left out');
    return;
}

# --- a consumer ------------------------------------------------------------------------------------

sub start
{
    my ($output, @command) = @_;
    $pid = fork // die "fork: $!";
    return if $pid;
    open STDOUT, '>', $output or die "$output: $!";
    open STDERR, '>&', \*STDOUT or die "stderr: $!";
    exec @command or POSIX::_exit(127);
}

sub output { my ($file) = @_; open my $in, '<', $file or return ''; local $/; return <$in> // ''; }

# Waits until the condition holds; the test is over if that takes too long, or if the program ends first.
sub wait_until
{
    my ($what, $output, $condition) = @_;
    my $until = time + 120;
    until ($condition->())
    {
        if (waitpid($pid, WNOHANG) == $pid)
        {
            undef $pid;
            die "the program ended ($?) before $what: " . output($output);
        }
        die "timed out waiting for $what: " . output($output) if time > $until;
        sleep 0.05;
    }
    return;
}

# The consumer meets good messages, one that fails at first, one that loses its lease, and poison of two kinds; then it
# is told to stop while it works on the first of four. Wants consumer.sql in the database.
sub consumer_ok
{
    my ($exit_status, @command) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $output = "$folder/output";
    sql(q{SELECT send_mails('{good,good,once,nowhere,lost,never}'), send_mails(array_fill('good'::text, '{20}'))});
    start($output, @command);
    wait_until('its work is done', $output, sub { sql('SELECT is_done(26)') eq 't' });
    is(sql('SELECT string_agg(DISTINCT effects::text, $$ $$) FROM mail WHERE kind = $$good$$'), '1',
        'one effect of each message');
    is(sql('SELECT effects, handled FROM mail WHERE kind = $$once$$'), '1|2', 'one of the message that failed at first');
    is(sql('SELECT effects, handled FROM mail WHERE kind = $$lost$$'), '1|2', 'one of the message that lost its lease');
    my $letter = 'SELECT class, reason, attempts, error ~ $$no address|never works$$ FROM baton.dead_letters JOIN mail USING (id)';
    is(sql("$letter WHERE kind = 'nowhere'"), 'permanent|permanent|1|t', 'bad data is a dead letter at once');
    is(sql("$letter WHERE kind = 'never'"), 'transient|exhausted|3|t', 'poison is one after its attempts');
    is(sql('SELECT count(*) FROM baton.dead_letters'), '2', 'nothing else is');
    is(sql('SELECT sum(effects) FROM mail WHERE kind IN ($$nowhere$$, $$never$$)'), '0', 'and neither has an effect');

    sql(q{SELECT send_mails('{held,good,good,good}')});
    wait_until('it works on the first of four', $output, sub { sql('SELECT is_held()') eq 't' });
    kill 'TERM', $pid;
    wait_until('it knows that it shall stop', $output, sub { output($output) =~ /^stopping$/m });
    sql('INSERT INTO gate DEFAULT VALUES');
    waitpid $pid, 0;
    undef $pid;
    is($? >> 8 || $? & 127, $exit_status, 'told to stop it ends') or diag output($output);
    is(sql('SELECT effects, handled FROM mail WHERE kind = $$held$$'), '1|1', 'after the message at hand');
    is(sql(q{SELECT string_agg(state || ' ' || attempts, ', ') FROM baton.peek('mail')}), 'ready 0, ready 0, ready 0',
        'and gives back the others as if they had not been handed out');
    return;
}

1;
