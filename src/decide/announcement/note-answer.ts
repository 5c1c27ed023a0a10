/**
 * What one more answer adds to a look. Anyone on the LAN can answer, with as many MACs as it likes: of one MAC one answer
 * to each question is kept, and beyond a number of answers no further stranger. Members are always heard, since an
 * address that a member answers for is not taken.
 */

import type { Mac } from '../../model/mac.ts';
import type { Answer, Look } from './who-holds.ts';

/** Far more hosts than ever have one address. */
export const mostAnswers = 64;

/** The same look if the answer adds nothing. */
export function noteAnswer(look: Look, answer: Answer, isMember: (mac: Mac) => boolean): Look {
  const { answers, sentAt } = look;
  const index = answers.findLastIndex(({ mac }) => mac === answer.mac);
  const before = answers[index];
  const isRepeated = before !== undefined && before.at >= (sentAt.at(-1) ?? -Infinity);
  const isLate = before === undefined && answers.length >= mostAnswers;
  if ((isRepeated || isLate) && !isMember(answer.mac)) return look;
  return { ...look, answers: isRepeated ? answers.with(index, answer) : [...answers, answer] };
}
