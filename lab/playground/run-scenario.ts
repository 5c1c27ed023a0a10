/** Goes through the steps of a scenario, says each, and whether it held. */

import { setTimeout as sleep } from 'node:timers/promises';
import { expectThat, localTarget, onlyHolder } from './expect.ts';
import type { Doing, ScenarioStep } from './read-scenario.ts';
import type { Session } from './session.ts';

export interface ScenarioOutcome {
  readonly held: number;
  readonly failed: number;
  readonly skipped: number;
}

export async function runScenario(
  session: Session,
  steps: readonly ScenarioStep[],
  say: (text: string) => void,
): Promise<ScenarioOutcome> {
  const actor = new Actor(session);
  let [held, skipped] = [0, 0];
  for (const [index, step] of steps.entries()) {
    say(`\n${index + 1}. ${step.says}`);
    if (isLeftOut(step, session)) {
      skipped += 1;
      say('   – left out: no router speaks BGP here');
      continue;
    }
    const startedAt = performance.now();
    const took = () => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    try {
      const seen = await runStep(session, step, actor);
      held += 1;
      say(`   ✓ ${seen === '' ? 'done' : seen} (${took()})`);
    } catch (error) {
      say(`   ✗ ${error instanceof Error ? error.message : String(error)} (${took()})`);
      say(lastStory(session));
      return { held, failed: steps.length - held - skipped, skipped };
    }
  }
  return { held, failed: 0, skipped };
}

function isLeftOut({ needs }: ScenarioStep, { facts }: Session): boolean {
  return needs === 'router' && facts.router === undefined;
}

async function runStep(session: Session, step: ScenarioStep, actor: Actor): Promise<string> {
  const act = async () => {
    for (const doing of step.does) await actor.act(doing);
  };
  if (step.expects !== undefined) return expectThat(session, step.expects, act);
  await act();
  return '';
}

const storyShown = 20;

/** What happened before a step failed. */
function lastStory({ story }: Session): string {
  const lines = story.slice(-storyShown).map(({ clock, text }) => `     ${clock} ${text}`);
  return lines.join('\n');
}

/** Knows which node `holder` and `last` are. */
class Actor {
  readonly #session: Session;
  #last = '';
  /** Within a step the holder is the same though it may be dead. */
  #holder = '';

  constructor(session: Session) {
    this.#session = session;
  }

  async act(doing: Doing): Promise<void> {
    if (doing.kind === 'wait') {
      await sleep(doing.ms);
      return;
    }
    const action = 'node' in doing ? { ...doing, node: await this.#resolve(doing.node) } : doing;
    await this.#session.experiments.carryOut(action);
  }

  async #resolve(name: string): Promise<string> {
    if (name === 'last') return this.#last;
    if (name === 'holder') {
      const { ip } = await localTarget(this.#session);
      this.#holder = await onlyHolder(this.#session, ip);
    }
    this.#last = name === 'holder' ? this.#holder : name;
    return this.#last;
  }
}
