import { createProvisioningKey } from '@caretaker/contract/provisioning.ts'
import type { TestApp } from './app.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every form
type Body = Record<string, any>

export interface ScimAnswer {
  status: number
  headers: Record<string, unknown>
  body: Body
}

export type Scim = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ScimAnswer>

/** Calls the server as the directory of a client that has this key. */
export const scimWith =
  ({ app }: TestApp, key: string): Scim =>
  async (method, path, body, headers = {}) => {
    const response = await app.inject({
      method,
      url: `/scim/v2${path}`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json', ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = response.body
    return { status: response.statusCode, headers: response.headers, body: text ? (JSON.parse(text) as Body) : {} }
  }

/** Makes a provisioning key as a manager does on the settings page. */
export async function makeProvisioningKey(
  app: TestApp,
  tenant: string,
  manager: string,
): Promise<{ id: string; key: string }> {
  const { status, body } = await app.send(createProvisioningKey, { params: { tenant } }, manager)
  if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`)
  return body
}
