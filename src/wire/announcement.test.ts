import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { announcementFrames } from './announcement.ts';
import { bytesOf, capturedFrame } from './captured-frames.fixture.ts';
import { encodeFrame } from './encode-frame.ts';

const mac = macOf('02:00:5e:10:00:01');
const encoded = (ip: string, forms?: readonly ('request' | 'reply')[]) =>
  announcementFrames({ ip: ipOf(ip), mac, ...(forms === undefined ? {} : { forms }) }).map(
    encodeFrame,
  );

const request = bytesOf(
  'ffffffffffff 02005e100001 0806 0001080006040001 02005e100001 c0000201 000000000000 c0000201',
);
const reply = capturedFrame('arping -A: gratuitous ARP, reply form');

test('an IPv4 address is announced in both forms of a gratuitous ARP', () => {
  assert.deepEqual(encoded('192.0.2.1'), [request, reply]);
});

test('one form can be asked for', () => {
  assert.deepEqual(encoded('192.0.2.1', ['request']), [request]);
  assert.deepEqual(encoded('192.0.2.1', ['reply']), [reply]);
});

test('an IPv6 address is announced as the kernel does it, whatever the forms', () => {
  const advertisement = capturedFrame("kernel's unsolicited advertisement (ndisc_notify)");
  assert.deepEqual(encoded('fe80::5eff:fe10:1'), [advertisement]);
  assert.deepEqual(encoded('fe80::5eff:fe10:1', ['reply']), [advertisement]);
});
