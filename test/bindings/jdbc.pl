# The manual on JDBC: its lines, its consumer. The driver gets to the Unix socket by a factory of ours.
use strict;
use warnings FATAL => 'all';

use Bindings;
use Manual;
use Test::More;

my $driver = '/usr/share/java/postgresql.jar';
plan skip_all => "no $driver here" unless -f $driver;
my (undef, $compiler) = runs('javac', '-version');
plan skip_all => 'no JDK 16 or later here' unless $compiler =~ /^javac (\d+)/m && $1 >= 16;

my ($is_compiled, $complaints) = runs('javac', '-Werror', '-d', save_folder(), 'test/bindings/UnixSockets.java');
ok($is_compiled, 'the factory of sockets compiles') or diag $complaints;
# Short runs: what the second compiler would win it costs first.
my @java = ('java', '-XX:TieredStopAtLevel=1', '-cp', "$driver:" . save_folder());

# The driver names no user or database of its own accord.
sub url
{
    return "jdbc:postgresql://localhost/$ENV{PGDATABASE}?user=$ENV{PGUSER}&socketFactory=UnixSockets"
      . "&socketFactoryArg=$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}";
}

new_database('bindings_jdbc', 'test/bindings/lines.sql');
lines_ok(@java, save('Lines.java', weave('test/bindings/Lines.java')), url());
new_database('bindings_jdbc', 'test/bindings/consumer.sql');
# A virtual machine that was told to end says so in its status.
consumer_ok(128 + 15, @java, save('Consumer.java', block('jdbc-consumer')), url());
all_blocks_ok('jdbc');
done_testing();
