import { describe } from 'node:test';
import { startApi } from '../../lab/api/start-api.ts';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { ExampleWorld } from './example-world.ts';
import { examples } from './examples.contract.ts';
import { startRealApi } from './start-allocator.ts';

/** kubectl keeps its token to itself unless it speaks TLS. */
const startEmbedded = () => startApi({ rbac: true, tls: true });

const absent = missing('ip', 'ping', 'setpriv');

describe(
  'the documentation’s examples, on the embedded API server',
  {
    skip: absent || missingBinaries('kubectl'),
  },
  () => examples(() => ExampleWorld.open(startEmbedded)),
);

describe(
  'the documentation’s examples, on a real kube-apiserver',
  {
    skip: absent || missingBinaries('kubectl', 'etcd', 'kube-apiserver'),
  },
  () => examples(() => ExampleWorld.open(startRealApi)),
);
