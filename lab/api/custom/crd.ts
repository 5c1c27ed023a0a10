/** A custom resource definition in words of our own. */

import type { ApiObject } from '../api-object.ts';
import { isJsonObject, type JsonObject, listAt, objectAt, textAt, valueAt } from '../json.ts';

export interface Crd {
  readonly group: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly versions: readonly CrdVersion[];
}

export interface CrdVersion {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStored: boolean;
  readonly hasStatus: boolean;
  readonly schema: JsonObject;
  readonly selectableFields: readonly string[];
  readonly printerColumns: readonly JsonObject[];
}

export function readCrd(object: ApiObject): Crd {
  const names = objectAt(object, 'spec', 'names');
  return {
    group: textAt(object, 'spec', 'group'),
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    kind: textAt(names, 'kind'),
    shortNames: listAt(names, 'shortNames') as string[],
    categories: listAt(names, 'categories') as string[],
    isNamespaced: textAt(object, 'spec', 'scope') === 'Namespaced',
    versions: (listAt(object, 'spec', 'versions') as JsonObject[]).map(readVersion),
  };
}

function readVersion(version: JsonObject): CrdVersion {
  return {
    name: textAt(version, 'name'),
    isServed: version['served'] === true,
    isStored: version['storage'] === true,
    hasStatus: isJsonObject(valueAt(version, 'subresources', 'status')),
    schema: objectAt(version, 'schema', 'openAPIV3Schema'),
    selectableFields: listAt(version, 'selectableFields').map((field) =>
      textAt(field, 'jsonPath').replace(/^\./, ''),
    ),
    printerColumns: listAt(version, 'additionalPrinterColumns') as JsonObject[],
  };
}
