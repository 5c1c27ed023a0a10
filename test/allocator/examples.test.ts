import { openEmbedded } from './embedded-world.ts';
import { examplesContract } from './examples.contract.ts';

examplesContract(openEmbedded);
