/** All resources that the server knows now: the built-in ones, and those that custom resource definitions bring. */

import { apiVersionOf, type Resource } from './resource.ts';

export class Registry {
  readonly #resources = new Map<string, Resource>();

  constructor(resources: readonly Resource[]) {
    for (const resource of resources) this.add(resource);
  }

  add(resource: Resource): void {
    this.#resources.set(idOf(resource), resource);
  }

  remove(resource: Resource): void {
    this.#resources.delete(idOf(resource));
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(idOf({ group, version, plural }));
  }

  /** Of this kind in any group that serves it. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    return [...this.#resources.values()].find(
      (resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion,
    );
  }

  all(): readonly Resource[] {
    return [...this.#resources.values()];
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((resource) => resource.group === group && resource.version === version);
  }
}

function idOf(resource: { group: string; version: string; plural: string }): string {
  return `${resource.group}/${resource.version}/${resource.plural}`;
}
