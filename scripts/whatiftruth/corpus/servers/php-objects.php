<?php
// Arrays and objects of PHP, as a long-running worker of a queue holds them.
ini_set('memory_limit', '1G');

final class Product
{
    public array $prices = [];
    public ?Product $parent = null;
    public function __construct(public int $id, public string $name, public float $weight, public bool $active) {}
}

$all = [];
$index = [];
$last = null;
for ($i = 0; $i < 80000; $i++) {
    $p = new Product($i, "product $i of the shop", $i / 3, $i % 2 == 0);
    $p->prices = ['eur' => $i * 1.1, 'usd' => $i * 1.2, 'stock' => $i % 90];
    $p->parent = $i % 7 ? $last : null;
    $index["sku-" . ($i * 31 % 1000003)] = $p;
    $all[] = $last = $p;
}
gc_collect_cycles();
echo "READY\n";
while (fgets(STDIN) !== false) {
}
