import { openEmbedded } from './embedded-world.ts';
import { firstUseContract } from './first-use.contract.ts';

firstUseContract(openEmbedded);
