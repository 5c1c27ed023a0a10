/** What another process costs, as the kernel counts it. */

import { readFileSync } from 'node:fs';

/** Resident, in MB. */
export function readMemory(pid: number): number {
  return readStatus(pid, /^VmRSS:\s+(\d+)/m);
}

/** The most that was ever resident, in MB. */
export function readPeakMemory(pid: number): number {
  return readStatus(pid, /^VmHWM:\s+(\d+)/m);
}

function readStatus(pid: number, line: RegExp): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = line.exec(status) ?? [];
  return Number(kilobytes) / 1000;
}

/** User and system, in ms; the kernel counts in hundredths of a second. */
export function readCpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
