# The manual on psycopg 2: its lines. A consumer with that driver is in demo/.
use strict;
use warnings FATAL => 'all';

use Bindings;
use Manual;
use Test::More;

my ($python) = grep { scalar runs($_, '-c', 'import psycopg2') } '/usr/bin/python3', 'python3';
plan skip_all => 'no python3 with psycopg2 here' unless $python;

new_database('bindings_psycopg2', 'test/bindings/lines.sql');
lines_ok($python, save('lines.py', weave('test/bindings/psycopg2.py')));
all_blocks_ok('psycopg2');
done_testing();
