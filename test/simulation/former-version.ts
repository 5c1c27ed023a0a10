/**
 * An agent of a former version, as the others see it: it speaks another version of the protocol. What it writes says 1
 * where it means its own, and it reads its own where the others wrote 1.
 */

import type { ApiRequest, ApiResponse } from '../../lab/api/api-request.ts';
import type { ApiExchange } from '../allocator/memory-transport.ts';

/** In an annotation, which is JSON inside JSON. */
const versions = /(\\"version\\":)([12])/g;

function exchangeVersions(text: string): string {
  return text.replace(versions, (_all, name: string, version: string) => {
    return `${name}${version === '1' ? 2 : 1}`;
  });
}

export function asFormerVersion(api: ApiExchange): ApiExchange {
  const exchange = async (request: ApiRequest): Promise<ApiResponse | 'reset'> => {
    const answer = await api.exchange({ ...request, body: exchangeVersions(request.body) });
    return answer === 'reset' ? answer : readAsFormer(answer);
  };
  return { exchange };
}

function readAsFormer(answer: ApiResponse): ApiResponse {
  const { body } = answer;
  if (typeof body === 'string') return { ...answer, body: exchangeVersions(body) };
  return {
    ...answer,
    body: (sink) =>
      body({
        write: (chunk) => sink.write(exchangeVersions(chunk)),
        end: () => sink.end(),
        destroy: () => sink.destroy(),
      }),
  };
}
