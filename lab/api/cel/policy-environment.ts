/** What expressions of admission policies can speak of: the request, the object before and after, and rights. */

import { Environment } from '@marcbachmann/cel-js';
import { addLibraries } from './environment.ts';

/** Whether the user who asks may do it. */
export type MayDo = (right: Right) => boolean;

export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** The root of `authorizer.group('').resource('services').namespace('shop').check('update').allowed()`. */
export class Authorizer {
  readonly mayDo: MayDo;

  constructor(mayDo: MayDo) {
    this.mayDo = mayDo;
  }
}

class GroupCheck {
  readonly mayDo: MayDo;
  readonly group: string;

  constructor(mayDo: MayDo, group: string) {
    this.mayDo = mayDo;
    this.group = group;
  }
}

class ResourceCheck {
  readonly mayDo: MayDo;
  readonly right: Omit<Right, 'verb'>;

  constructor(mayDo: MayDo, right: Omit<Right, 'verb'>) {
    this.mayDo = mayDo;
    this.right = right;
  }

  with(part: Partial<Right>): ResourceCheck {
    return new ResourceCheck(this.mayDo, { ...this.right, ...part });
  }
}

class Decision {
  readonly isAllowed: boolean;

  constructor(isAllowed: boolean) {
    this.isAllowed = isAllowed;
  }
}

let made: Environment | undefined;

/** Made when the first policy asks for it. */
export function policyEnvironment(): Environment {
  made ??= makeEnvironment();
  return made;
}

function makeEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
  });
  addLibraries(environment);
  addRights(environment);
  for (const name of ['request', 'object', 'oldObject', 'variables']) {
    environment.registerVariable(name, 'dyn');
  }
  return environment.registerVariable('authorizer', 'Authorizer');
}

function addRights(environment: Environment): void {
  environment
    .registerType('Authorizer', { ctor: Authorizer, fields: {} })
    .registerType('GroupCheck', { ctor: GroupCheck, fields: {} })
    .registerType('ResourceCheck', { ctor: ResourceCheck, fields: {} })
    .registerType('Decision', { ctor: Decision, fields: {} })
    .registerFunction(
      'Authorizer.group(string): GroupCheck',
      ({ mayDo }: Authorizer, group: string) => new GroupCheck(mayDo, group),
    )
    .registerFunction(
      'GroupCheck.resource(string): ResourceCheck',
      ({ mayDo, group }: GroupCheck, resource: string) =>
        new ResourceCheck(mayDo, { group, resource, namespace: '', name: '' }),
    )
    .registerFunction(
      'ResourceCheck.subresource(string): ResourceCheck',
      (check: ResourceCheck, part: string) =>
        check.with({ resource: `${check.right.resource}/${part}` }),
    )
    .registerFunction(
      'ResourceCheck.namespace(string): ResourceCheck',
      (check: ResourceCheck, namespace: string) => check.with({ namespace }),
    )
    .registerFunction(
      'ResourceCheck.name(string): ResourceCheck',
      (check: ResourceCheck, name: string) => check.with({ name }),
    )
    .registerFunction(
      'ResourceCheck.check(string): Decision',
      ({ mayDo, right }: ResourceCheck, verb: string) => new Decision(mayDo({ ...right, verb })),
    )
    .registerFunction('Decision.allowed(): bool', ({ isAllowed }: Decision) => isAllowed);
}
