import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { openLiveWorld } from './live-segment.fixture.ts';
import { describeNeighbours } from './neighbours.contract.ts';

const skip = missing('ip', 'ping');
if (skip === false) enterFreshNamespace();

describeNeighbours('live', { skip, open: openLiveWorld });
