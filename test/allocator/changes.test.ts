import { changesContract } from './changes.contract.ts';
import { openEmbedded } from './embedded-world.ts';

changesContract(openEmbedded);
