import type { FastifyInstance } from 'fastify'
import {
  addAuthenticatorApp,
  addPasskey,
  beginAuthenticatorApp,
  beginPasskey,
  endBrowserSession,
  endOtherBrowserSessions,
  getAccountSecurity,
  getBrowserSessions,
  removeAuthenticatorApp,
  removePasskey,
  renewRecoveryCodes,
} from '@caretaker/contract/account.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Route } from '@caretaker/contract/route.ts'
import { browserName } from '@caretaker/rules/identity/browser-name.ts'
import { callerOf } from '../../http/caller.ts'
import type { PersonCall } from '../../http/serve.ts'
import { servePerson } from '../../http/serve.ts'
import type { Asking } from './service.ts'
import * as service from './service.ts'

const askingOf = ({ context, person, request }: Pick<PersonCall<Route>, 'context' | 'person' | 'request'>): Asking => ({
  context,
  person,
  caller: callerOf(request.ip),
})

export function accountRoutes(app: FastifyInstance): void {
  servePerson(app, getAccountSecurity, async (call) => {
    const known = await service.security(askingOf(call))
    const { passkeys = [], appAddedAt = null, recoveryCodesLeft = 0 } = known?.factors ?? {}
    return {
      isAvailable: known !== undefined,
      isRequired: known?.isRequired ?? false,
      passkeys: passkeys.map(({ createdAt, lastUsedAt, ...passkey }) => ({
        ...passkey,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
      authenticatorAppAddedAt: appAddedAt?.toISOString() ?? null,
      recoveryCodesLeft,
    }
  })
  servePerson(app, beginPasskey, async (call) => ({ ...(await service.beginPasskey(askingOf(call))) }))
  servePerson(app, addPasskey, async (call) => ({
    recoveryCodes: await service.addPasskey(askingOf(call), call.body),
  }))
  servePerson(app, removePasskey, async (call) => service.removePasskey(askingOf(call), call.params.passkeyId))
  servePerson(app, beginAuthenticatorApp, async (call) => service.beginApp(askingOf(call)))
  servePerson(app, addAuthenticatorApp, async (call) => ({
    recoveryCodes: await service.addApp(askingOf(call), call.body.code),
  }))
  servePerson(app, removeAuthenticatorApp, async (call) => service.removeApp(askingOf(call)))
  servePerson(app, renewRecoveryCodes, async (call) => ({
    recoveryCodes: await service.renewCodes(askingOf(call)),
  }))

  servePerson(app, getBrowserSessions, async (call) => ({
    results: (await service.ownSessions(askingOf(call))).map(({ id, userAgent, network, signedInAt, lastUsedAt }) => ({
      ...{ id, network, browser: browserName(userAgent), isCurrent: id === call.person.session?.id },
      signedInAt: signedInAt.toISOString(),
      lastUsedAt: lastUsedAt.toISOString(),
    })),
  }))
  servePerson(app, endBrowserSession, async (call) => {
    const ended = await service.endOwnSessions(askingOf(call), ({ id }) => id === call.params.sessionId)
    if (!ended) throw refuse('not found')
  })
  servePerson(app, endOtherBrowserSessions, async (call) => ({
    ended: await service.endOwnSessions(askingOf(call), ({ id }) => id !== call.person.session?.id),
  }))
}
