# vm: timeout=500 disk=512M
N=${N:-1000}
parent=$CG/jobs
mkdir -p "$parent" /disk/jobs
memory_on "$CG" && memory_on "$parent"
cat /sys/kernel/mm/lru_gen/enabled
dd if=/dev/zero of=/disk/big bs=1M count=64 2>/dev/null
sync; echo 3 >/proc/sys/vm/drop_caches
mkdir "$parent/living"
reread "$parent/living" /disk/big /run/ready 200 &
reader=$!
wait_for 60 [ -s /run/ready ]
storm dying-create "$parent" /disk/jobs "$N"
sync
storm dying-remove "$parent" "$N"
sleep 2
st() { echo "dying $(dying) refault $(keyed $parent/living/memory.stat workingset_refault_file) living $(cat $parent/living/memory.current) parent $(cat $parent/memory.current) activefile $(keyed $parent/living/memory.stat active_file) inact $(keyed $parent/living/memory.stat inactive_file)"; }
st
for sz in 128K 128K 128K 256K 512K; do
  (echo $sz > $parent/memory.reclaim) 2>&1 | head -1
  sleep 0.3
  echo "$sz: $(st)"
done
kill $reader
