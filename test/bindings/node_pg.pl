# The manual on node-pg: its lines, its consumer.
use strict;
use warnings FATAL => 'all';

use Bindings;
use Manual;
use Test::More;

plan skip_all => 'no node with pg here' unless scalar runs('node', '-e', 'require("pg")');

new_database('bindings_node_pg', 'test/bindings/lines.sql');
lines_ok('node', save('lines.js', weave('test/bindings/node_pg.js')));
new_database('bindings_node_pg', 'test/bindings/consumer.sql');
consumer_ok(0, 'node', save('consumer.js', block('node-pg-consumer')));
all_blocks_ok('node-pg');
done_testing();
