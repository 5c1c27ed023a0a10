/** Faults by HTTP, for a server in another process: `/faults`, only where it was switched on. */

import { type ApiRequest, type ApiResponse, jsonResponse } from '../api-request.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import type { FaultMatch, FaultRule, WatchBreak } from './fault.ts';
import type { FaultyApi } from './faulty-api.ts';
import type { JumpingClock } from './jumping-clock.ts';

/** Undefined when the request is for the API server itself. */
export function answerFaults(
  faults: FaultyApi,
  clock: JumpingClock,
  { method, url, body }: ApiRequest,
): ApiResponse | undefined {
  if (!/^\/faults(\/|$)/.test(url)) return undefined;
  const action = actions[`${method} ${url}`];
  if (action === undefined) return jsonResponse(404, { message: Object.keys(actions).join(', ') });
  const wishes = body === '' ? {} : parseJson(body);
  action(faults, clock, isJsonObject(wishes) ? wishes : {});
  return jsonResponse(200, describeFaults(faults));
}

type Action = (faults: FaultyApi, clock: JumpingClock, wishes: JsonObject) => void;

const actions: Readonly<Record<string, Action>> = {
  'GET /faults': () => {},
  'POST /faults': (faults, _clock, rule) => faults.add(rule as unknown as FaultRule),
  'DELETE /faults': (faults) => faults.clear(),
  'POST /faults/pause': (faults) => faults.pause(),
  'POST /faults/resume': (faults) => faults.resume(),
  'POST /faults/watches': (faults, _clock, { match = {}, ...what }) =>
    faults.breakWatches(what as unknown as WatchBreak, match as FaultMatch),
  'POST /faults/clock': (_faults, clock, { ms }) => clock.jump(Number(ms)),
};

function describeFaults(faults: FaultyApi): JsonObject {
  return {
    rules: faults.rules().map(({ rule, hits }) => ({ ...(rule as unknown as JsonObject), hits })),
    openWatches: faults.openWatches,
  };
}
