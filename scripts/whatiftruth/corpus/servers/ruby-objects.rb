# Objects, hashes, symbols and strings of Ruby, as a web worker keeps them.
class Comment
  def initialize(id, who, text, at)
    @id, @who, @text, @at, @votes = id, who, text, at, []
  end
  attr_reader :votes
end

all = []
by_user = Hash.new { |h, k| h[k] = [] }
90_000.times do |i|
  c = Comment.new(i, "user#{i % 4000}", i % 5 == 0 ? "a longer comment, number #{i}, that does not fit into its slot" : "ok #{i}", i * 0.25)
  c.votes << i << i + 1 if i % 3 == 0
  all << c
  by_user["user#{i % 4000}"] << { id: i, score: i * 1.5, seen: nil }
end
GC.start
$stdout.puts "READY"
$stdout.flush
$stdin.read
