# Hashes of arrays and of hashes, as scripts that digest logs build them.
use strict;
use warnings;

my (%host, @rows);
for my $i (0 .. 79999) {
	my $h = "host" . $i % 3000;
	push @{ $host{$h}{hits} }, $i * 3;
	$host{$h}{bytes}{"/path/" . $i % 5000} += $i;
	push @rows, { id => $i, line => "GET /path/$i HTTP/1.1", took => $i / 7, code => 200 + $i % 5 };
}
$| = 1;
print "READY\n";
1 while <STDIN>;
