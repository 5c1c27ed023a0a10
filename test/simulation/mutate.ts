/** To be imported before everything else: one source file is read with one rule switched off (`PURELB_MUTATION`). */

import { registerHooks } from 'node:module';
import { mutations } from './mutations.ts';

const root = new URL('../../', import.meta.url);
const mutation = mutations.find(({ rule }) => rule === process.env['PURELB_MUTATION']);
if (mutation === undefined) throw new Error('PURELB_MUTATION names no rule');
const { file, text, replacement } = mutation;
const mutated = new URL(file, root).href;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const { source: given } = loaded;
    if (url !== mutated || given === undefined || given === null) return loaded;
    const source = typeof given === 'string' ? given : new TextDecoder().decode(given);
    if (!source.includes(text)) throw new Error(`${file} does not say: ${text}`);
    return { ...loaded, source: source.replace(text, replacement) };
  },
});
