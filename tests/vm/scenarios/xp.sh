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

step() { (echo $1 > $parent/memory.reclaim) 2>&1 | head -1; sleep 0.3; echo "$2 $1: $(st)"; }
step 128K; step 128K; step 128K
taskset 1 sh -c "echo 128K > $parent/memory.reclaim"; sleep 0.3; st
taskset 2 sh -c "echo 128K > $parent/memory.reclaim"; sleep 0.3; st
grep -E "^(nr_dirty|nr_writeback|nr_inactive_file|nr_active_file) " /proc/vmstat
sync; sleep 1; echo synced
taskset 1 sh -c "echo 128K > $parent/memory.reclaim"; sleep 0.3; st
taskset 2 sh -c "echo 128K > $parent/memory.reclaim"; sleep 0.3; st
kill $reader
sleep 1
step 1M nosib; step 16M; 
grep -E "^(nr_dirty|nr_writeback|nr_inactive_file|nr_active_file) " /proc/vmstat
(echo 1G > $parent/memory.reclaim); sleep 1; st
cat $parent/memory.stat | grep -vE " 0$"
