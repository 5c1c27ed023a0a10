/** Label selectors as in a query: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */

import { badRequest } from '../api-error.ts';

export type Labels = Readonly<Record<string, string>> | undefined;
export type LabelSelector = (labels: Labels) => boolean;

const tokens = /\s*(!=|==|=|,|\(|\)|!|<|>|[^\s!=,()<>]+)/y;

export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Reader(text).read();
  return (labels) => requirements.every((matches) => matches(labels));
}

class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  read(): readonly LabelSelector[] {
    const requirements: LabelSelector[] = [];
    while (this.#peek() !== undefined) {
      requirements.push(this.#readRequirement());
      if (this.#peek() === undefined) break;
      this.#expect(',');
    }
    return requirements;
  }

  #readRequirement(): LabelSelector {
    if (this.#peek() === '!') {
      this.#next += 1;
      const key = this.#word();
      return (labels) => labels?.[key] === undefined;
    }
    const key = this.#word();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return (labels) => labels?.[key] !== undefined;
    this.#next += 1;
    return this.#readOperation(key, operator);
  }

  #readOperation(key: string, operator: string): LabelSelector {
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value();
        return (labels) => labels?.[key] === value;
      }
      case '!=': {
        const value = this.#value();
        return (labels) => labels?.[key] !== value;
      }
      case 'in':
      case 'notin':
        return this.#readSet(key, operator === 'in');
      case '<':
      case '>':
        return this.#readComparison(key, operator);
      default:
        throw this.#problem(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #readSet(key: string, isMember: boolean): LabelSelector {
    this.#expect('(');
    const values = new Set<string>([this.#value()]);
    while (this.#peek() === ',') {
      this.#next += 1;
      values.add(this.#value());
    }
    this.#expect(')');
    return (labels) => {
      const value = labels?.[key];
      return value === undefined ? !isMember : values.has(value) === isMember;
    };
  }

  #readComparison(key: string, operator: string): LabelSelector {
    const bound = Number.parseInt(this.#word(), 10);
    if (Number.isNaN(bound))
      throw this.#problem('for Gt, Lt operators, the value must be an integer');
    return (labels) => {
      const value = Number.parseInt(labels?.[key] ?? '', 10);
      return operator === '<' ? value < bound : value > bound;
    };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #expect(token: string): void {
    if (this.#peek() !== token) {
      throw this.#problem(`found '${this.#peek() ?? ''}' expected: '${token}'`);
    }
    this.#next += 1;
  }

  #word(): string {
    const token = this.#peek();
    if (token === undefined || /^[!=,()<>]/.test(token)) {
      throw this.#problem(`found '${token ?? ''}', expected: identifier`);
    }
    this.#next += 1;
    return token;
  }

  /** May be empty: `a=` selects an empty value. */
  #value(): string {
    const token = this.#peek();
    return token === undefined || /^[,)]/.test(token) ? '' : this.#word();
  }

  #problem(why: string) {
    return badRequest(`unable to parse requirement: ${why}`);
  }
}

function tokenize(text: string): readonly string[] {
  const found: string[] = [];
  tokens.lastIndex = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    found.push(match[1] ?? '');
  }
  return found;
}
