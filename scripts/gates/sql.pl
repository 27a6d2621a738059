# The shipped SQL: nothing replaced at install, names qualified, search_path pinned, public objects explained.
use strict;
use warnings;

my (%public, %explained, $failed);

sub complain {
    my ($file, $line, $what) = @_;
    print "$file:$line: $what\n";
    $failed = 1;
}

# Statements of a script with their first line; comments are dropped, bodies between dollars and strings become ''.
sub statements {
    my ($text) = @_;
    my ($line, $start, $statement, @found) = (1, 0, '');
    while ($text =~ /\G(--[^\n]*|\/\*.*?\*\/|'(?:[^']|'')*'|(\$\w*\$).*?\2|"(?:[^"]|"")*"|\\echo[^\n]*|;|.)/gs) {
        my $token = $1;
        my $lines = ($token =~ tr/\n//);
        if ($token eq ';') {
            push @found, [$start || $line, $statement] if $statement =~ /\S/;
            ($statement, $start) = ('', 0);
        } elsif ($token =~ /^(--|\/\*|\\echo)/) {
            $statement .= ' ';
        } else {
            $start ||= $line if $token =~ /\S/;
            $token = "''" if $token =~ /^\$\w*\$/;
            $statement .= $token;
        }
        $line += $lines;
    }
    push @found, [$start, $statement] if $statement =~ /\S/;
    return @found;
}

my $name = qr/(?:"[^"]+"|\w+)(?:\.(?:"[^"]+"|\w+))?/;
my $kind = qr/FUNCTION|PROCEDURE|AGGREGATE|(?:MATERIALIZED\s+)?VIEW|TABLE|TYPE|DOMAIN|SEQUENCE/i;

for my $file (grep { -f } @ARGV) {
    open my $in, '<', $file or die "$file: $!";
    my $text = do { local $/; <$in> };
    for (statements($text)) {
        my ($line, $statement) = @$_;
        complain($file, $line, 'CREATE OR REPLACE would take over an object that is there already')
            if $statement =~ /^\s*CREATE\s+OR\s+REPLACE\b/i;
        if ($statement =~ /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:UNLOGGED\s+)?($kind)\s+(?:IF\s+NOT\s+EXISTS\s+)?($name)/i) {
            my ($what, $object) = (uc $1, $2);
            complain($file, $line, "$object: say in which schema") if $object !~ /\./;
            my ($short) = $object =~ /([^.]+)$/;
            $public{"$what $object"} ||= "$file:$line" if $short !~ /^"?_/ && $what ne 'SEQUENCE';
            if ($what =~ /FUNCTION|PROCEDURE/) {
                complain($file, $line, "$object: no SET search_path")
                    unless $statement =~ /\bLANGUAGE\s+'?(c|internal)\b/i
                    || $statement =~ /\bSET\s+search_path\b/i
                    || $statement =~ /\bBEGIN\s+ATOMIC\b/i;
            }
        } elsif ($statement =~ /^\s*COMMENT\s+ON\s+($kind)\s+($name)/i) {
            $explained{uc($1) . " $2"} = 1;
        }
    }
}
for my $object (sort keys %public) {
    next if $explained{$object};
    print "$public{$object}: no COMMENT ON $object\n";
    $failed = 1;
}
exit($failed ? 1 : 0);
