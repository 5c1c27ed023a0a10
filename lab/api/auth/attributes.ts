import type { RequestInfo } from '../request-info.ts';

/** What a user wants to do, as roles speak of it. */
export type Attributes =
  | {
      readonly verb: string;
      readonly group: string;
      /** With its subresource: `services/status`. */
      readonly resource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly verb: string; readonly path: string };

export function attributesOf(info: RequestInfo, query: URLSearchParams): Attributes {
  const { verb, path } = info;
  if (!info.isResource) return { verb, path };
  const { group, resource, subresource, namespace } = info;
  return {
    verb,
    group,
    resource: subresource === '' ? resource : `${resource}/${subresource}`,
    namespace,
    name: info.name === '' ? nameInSelector(query) : info.name,
  };
}

/** A list of one object by its name is a request for that name. */
function nameInSelector(query: URLSearchParams): string {
  const fields = query.get('fieldSelector') ?? '';
  return /^metadata\.name==?([^,!=]+)$/.exec(fields)?.[1] ?? '';
}
