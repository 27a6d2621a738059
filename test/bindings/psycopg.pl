# The manual on psycopg 3: its lines, its consumer.
use strict;
use warnings FATAL => 'all';

use Bindings;
use Manual;
use Test::More;

# The distribution's python3 has the distribution's drivers; another one may come first in PATH.
my ($python) = grep { scalar runs($_, '-c', 'import psycopg') } '/usr/bin/python3', 'python3';
plan skip_all => 'no python3 with psycopg here' unless $python;

new_database('bindings_psycopg', 'test/bindings/lines.sql');
lines_ok($python, save('lines.py', weave('test/bindings/psycopg.py')));
new_database('bindings_psycopg', 'test/bindings/consumer.sql');
consumer_ok(0, $python, save('consumer.py', block('psycopg-consumer')));
all_blocks_ok('psycopg');
done_testing();
