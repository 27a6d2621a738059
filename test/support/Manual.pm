# The code blocks of the manual, and programs woven from them: what the reader copies is what the tests run.
#
# A block has a name beside its language (```python psycopg-send). In a program "manual: NAME" in a comment of its own
# line stands for the block of that name.
package Manual;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(blocks block weave unused_blocks);

my @blocks;
my %by_name;
my %is_used;

sub read_manual
{
    my $file = 'contrib-docs/baton.md';
    open my $manual, '<', $file or die "$file: $!";
    my $block;
    while (my $line = <$manual>)
    {
        if (!$block && $line =~ /^```(\S*)(?: (\S+))?$/)
        {
            $block = { language => $1, name => $2 // '', line => $., text => '' };
        }
        elsif ($block && $line eq "```\n")
        {
            push @blocks, $block;
            die "two blocks are called $block->{name}" if $block->{name} ne '' && $by_name{ $block->{name} };
            $by_name{ $block->{name} } = $block;
            undef $block;
        }
        elsif ($block) { $block->{text} .= $line; }
    }
    die "the block at line $block->{line} of $file does not end" if $block;
    return;
}
read_manual();

sub blocks { return @blocks; }

sub block
{
    my ($name) = @_;
    my $block = $by_name{$name} or die "the manual has no block $name";
    $is_used{$name} = 1;
    return $block->{text};
}

# The text of a program with the manual's blocks in it.
sub weave
{
    my ($file) = @_;
    open my $program, '<', $file or die "$file: $!";
    my $text = '';
    while (my $line = <$program>)
    {
        if ($line =~ m{^(\s*)(?:#|//) manual: (\S+)$})
        {
            my ($indent, $name) = ($1, $2);
            $text .= block($name) =~ s/^(?=.)/$indent/gmr;
        }
        else { $text .= $line; }
    }
    return $text;
}

# Names of the blocks of a driver that nobody asked for.
sub unused_blocks
{
    my ($driver) = @_;
    return grep { /^\Q$driver\E-/ && !$is_used{$_} } sort keys %by_name;
}

1;
