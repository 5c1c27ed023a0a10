#!/bin/sh
# What a node does once it has a root; see node-init.sh. A program that ends is started again.
set -eu
export PATH="/run/bin:$PATH" HOME=/root
umount -l /run/outside
mount --make-rshared /
printf '127.0.0.1 localhost\n::1 localhost\n' > /etc/hosts
echo 'search .' > /etc/resolv.conf

# Runs a program for ever, as a service of a machine is run.
keep() {
  log=$1
  shift
  while :; do
    "$@" >> "/lab/log/$log" 2>&1 || true
    sleep 0.5
  done
}

keep containerd.log containerd --config /run/config/containerd.toml &
tries=0
until ctr version > /dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo 'containerd does not answer'; exit 1; }
  sleep 0.1
done
if [ ! -e /lab/imported ]; then
  ctr --namespace k8s.io images import /lab/images.tar >> /lab/log/import.log 2>&1
  touch /lab/imported
fi
echo 'images are there'

keep kubelet.log kubelet --config=/run/config/kubelet.json --kubeconfig=/run/config/kubeconfig \
  --hostname-override="$NODE" --node-ip="$NODE_IPS" --root-dir=/var/lib/kubelet --v=2 &
echo 'booted'
wait
