#!/bin/sh
# The first process of a node, in namespaces of its own: gives the node a root, then runs containerd and the kubelet.
# NODE names it, NODE_IPS are its addresses, DISK is what it keeps when it is switched off, CONFIG what its programs are
# told, PROGRAMS are their paths, HIERARCHIES those of control groups.
set -eu
root=/mnt

mount --make-rprivate /
hostname "$NODE"
mkdir -p "$DISK/root" "$DISK/work" "$DISK/log"
# The machine as it is, but what is written to it stays with the node.
mount -t overlay node -o "lowerdir=/,upperdir=$DISK/root,workdir=$DISK/work" "$root"
for folder in var/lib/containerd var/lib/kubelet var/lib/cni var/log/pods var/log/containers opt/cni etc/cni/net.d tmp; do
  mkdir -p "$DISK/own/$folder" "$root/$folder"
  mount --bind "$DISK/own/$folder" "$root/$folder"
done
mkdir -p "$root/lab"
mount --bind "$DISK" "$root/lab"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=755 run "$root/run"
mkdir -p "$root/run/config" "$root/run/bin"
cp -r "$CONFIG/." "$root/run/config/"
cp "$CONFIG/cni.conflist" "$root/etc/cni/net.d/10-lab.conflist"
# From wherever they are, which need not be on the machine's root.
for program in $PROGRAMS; do
  touch "$root/run/bin/${program##*/}"
  mount --bind "$program" "$root/run/bin/${program##*/}"
done

mount -t tmpfs -o mode=755 cgroup "$root/sys/fs/cgroup"
for controllers in $HIERARCHIES; do
  mkdir "$root/sys/fs/cgroup/$controllers"
  mount -t cgroup -o "$controllers" cgroup "$root/sys/fs/cgroup/$controllers"
done

# Settings of the whole machine that the kubelet insists on: it finds them as it wants them, in files of the node.
mkdir "$root/run/settings"
pretend() {
  file="$root/run/settings/$(echo "$1" | tr / .)"
  echo "$2" > "$file"
  mount --bind "$file" "$root/proc/sys/$1"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000

mkdir -p "$root/run/outside"
cd "$root"
pivot_root . run/outside
exec chroot . /bin/sh /run/config/boot.sh
