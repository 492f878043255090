import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type Provider from 'oidc-provider'
import { z } from 'zod'
import { email } from '@caretaker/contract/scalars.ts'
import type { Context } from '../context.ts'
import { callerOf } from '../http/caller.ts'
import { recordSignIn } from '../identity/access-record.ts'
import type { Counted } from '../postgres/throttle.ts'
import { count, resetCount, uncount, within } from '../postgres/throttle.ts'
import type { Account } from './accounts.ts'
import { accountOfToken, keepPassword, setPassword, WeakPassword } from './accounts.ts'
import { backChannelRoute } from './back-channel.ts'
import { forCaller, mayAsk, writeLink } from './forgotten.ts'
import { deviceCookie } from './known-device.ts'
import { forgottenPage, messagePage, passwordPage } from './pages.ts'
import { longestPassword } from './password-strength.ts'
import type { Secrets } from './secrets.ts'
import { signInRoutes } from './sign-in-routes.ts'
import type { DirectoryMembers } from './sso-account.ts'
import { requiredConnection } from './sso-account.ts'
import { openProviders } from './sso-provider.ts'
import { needsSsoPage } from './sso-routes.ts'

const NewPassword = z.object({ password: z.string().max(longestPassword), repeat: z.string().max(longestPassword) })
const Kept = z.object({ keep: z.literal('yes') })

/** The form that requests a password link; the connection names the user directory that the e-mail belongs to. */
const Forgotten = z.object({ email: email(), connection: z.literal('embedded') })

const sent =
  'If an account exists for this e-mail address, we have sent it a link to choose a new password. It may take a minute to arrive.'

/** Headers of the server that the provider's own responses have too. */
const securityHeaders = [
  ...['content-security-policy', 'referrer-policy', 'strict-transport-security'],
  ...['x-content-type-options', 'x-frame-options'],
]

/**
 * Password-link submissions per hour: those with links that do not work, and all for one account or from one caller.
 */
const wrongLinks = { most: 20, seconds: 3600 }
const triesOfAccount = { most: 20, seconds: 3600 }
const triesOfCaller = { most: 100, seconds: 3600 }

/**
 * The provider builds addresses from request headers and trusts the first of several values. Replaces them with the configured
 * origin and the caller that trusted proxies named.
 */
function asConfigured(raw: IncomingMessage, origin: string, caller: string): void {
  const { host, protocol } = new URL(origin)
  for (const name of Object.keys(raw.headers))
    if (name === 'forwarded' || name.startsWith('x-forwarded-')) delete raw.headers[name]
  Object.assign(raw.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-for': caller })
}

/** Mounts the embedded provider; members who come from a client's directory are kept by the given module. */
export type IdentityRoutes = (app: FastifyInstance, members: DirectoryMembers) => Promise<void>

/**
 * Mounts the provider at /oidc, its sign-in pages at /login/{uid}, the form that requests a password link at /account/password,
 * and the pages that the links open at /account/password/{token}.
 */
export function identityRoutes(context: Context, provider: Provider, secrets: Secrets): IdentityRoutes {
  const { cookieKeys } = secrets
  const { origin } = context.config
  const secure = origin.startsWith('https:')
  provider.proxy = true
  return async (app, members) => {
    app.addHook('onRequest', async (request) => {
      asConfigured(request.raw, origin, request.ip)
    })
    await app.register(async (scope) => {
      // The provider reads its requests itself.
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
      const answer = provider.callback()
      scope.all('/oidc/*', (request, reply) => {
        reply.hijack()
        const raw = request.raw as typeof request.raw & { originalUrl?: string }
        raw.originalUrl = raw.url
        raw.url = raw.url!.slice('/oidc'.length)
        for (const name of securityHeaders) {
          const value = reply.getHeader(name)
          if (value !== undefined) reply.raw.setHeader(name, value)
        }
        void answer(raw, reply.raw)
      })
    })

    await app.register(async (scope) => {
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: 8192 },
        (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
      )
      const html = (reply: FastifyReply, status: number, page: string) =>
        reply.status(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page)

      const providers = openProviders(context)
      signInRoutes(scope, { context, provider, secrets, members, providers })
      backChannelRoute(scope, { context, providers })

      scope.get('/account/password', async (_request, reply) => html(reply, 200, forgottenPage({})))
      scope.post('/account/password', async (request, reply) => {
        const given = Forgotten.safeParse(request.body)
        if (!given.success) return html(reply, 400, forgottenPage({ error: 'Please enter a valid e-mail.' }))
        if (!(await mayAsk(context.db, callerOf(request.ip))))
          return html(
            reply.header('retry-after', forCaller.seconds),
            429,
            forgottenPage({ error: 'Too many requests. Please try again in an hour.' }),
          )
        // Not awaited: the response time would reveal whether the account exists.
        writeLink(context, given.data.email).catch((error: unknown) =>
          context.log.error({ err: error }, 'no link sent'),
        )
        return html(reply, 200, messagePage('Check your e-mail', sent, origin))
      })

      const usedUp = (reply: FastifyReply) =>
        html(
          reply,
          410,
          messagePage(
            'This link no longer works',
            'To get a new one, choose ‘Forgot password’ on the sign-in page.',
            origin,
          ),
        )

      /** The token belongs to no account: it is old, or a caller is trying random ones. */
      const noAccount = async (reply: FastifyReply, caller: string) => {
        const tried = await count(context.db, ['wrong password link', caller], wrongLinks.seconds)
        const reason = 'invalid password links'
        if (tried === wrongLinks.most + 1)
          await recordSignIn(context, { action: 'sign-in locked out', account: undefined, caller, reason })
        return tried > wrongLinks.most ? tooManyTries(reply) : usedUp(reply)
      }
      const tooManyTries = (reply: FastifyReply) =>
        html(reply, 429, messagePage('Too many attempts', 'Please try again in an hour.', origin))

      scope.get<{ Params: { token: string } }>('/account/password/:token', async (request, reply) => {
        const owner = await accountOfToken(context.idp, request.params.token)
        if (owner && (await requiredConnection(context, owner.email))) return html(reply, 403, needsSsoPage(origin))
        return owner ? html(reply, 200, passwordPage(owner)) : usedUp(reply)
      })
      // The token is checked first, with one read, so that requests without a link cannot cause expensive hashing.
      scope.post<{ Params: { token: string } }>('/account/password/:token', async (request, reply) => {
        const { token } = request.params
        const caller = callerOf(request.ip)
        const owner = await accountOfToken(context.idp, token)
        if (!owner) return noAccount(reply, caller)
        if (await requiredConnection(context, owner.email)) return html(reply, 403, needsSsoPage(origin))
        const ofAccount: Counted = ['tries of a new password', owner.id]
        const ofCaller: Counted = ['tries of new passwords', caller]
        if (
          !(await within(context.db, ofCaller, triesOfCaller)) ||
          !(await within(context.db, ofAccount, triesOfAccount))
        )
          return tooManyTries(reply)
        const saved = await chosen(request.body, { token, owner, caller })
        if (saved === undefined) return usedUp(reply)
        if ('fault' in saved) return html(reply, 400, passwordPage(owner, saved.fault))
        await uncount(context.db, [ofCaller])
        await resetCount(context.db, ofAccount)
        void reply.header('set-cookie', deviceCookie(cookieKeys, saved, secure))
        return html(reply, 200, messagePage(saved.title, 'You can sign in now.', origin))
      })

      type Chosen = { id: string; hash: string; title: string }
      const chosen = async (
        form: unknown,
        { token, owner, caller }: { token: string; owner: Account; caller: string },
      ): Promise<Chosen | { fault: string } | undefined> => {
        if (Kept.safeParse(form).success) {
          if (!owner.hasPassword) return { fault: 'Choose a password first.' }
          const kept = await keepPassword(context.idp, token)
          return kept && { ...kept, title: 'Password kept' }
        }
        const given = NewPassword.safeParse(form)
        if (!given.success) return { fault: `A password can have at most ${longestPassword} characters.` }
        const { password, repeat } = given.data
        if (password !== repeat) return { fault: 'The passwords do not match. Enter the same password twice.' }
        try {
          const set = await setPassword(context.idp, token, password, { caller, isTrusted: true })
          if (set) await recordSignIn(context, { action: 'password changed', account: owner, caller })
          return set && { ...set, title: 'Password saved' }
        } catch (error) {
          if (error instanceof WeakPassword) return { fault: error.message }
          throw error
        }
      }
    })
  }
}
