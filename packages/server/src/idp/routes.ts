import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { setPassword, tokenIsGood } from './accounts.ts'
import { callerOf } from './caller.ts'
import { forCaller, mayAsk, writeLink } from './forgotten.ts'
import { deviceCookie, isKnownDevice } from './known-device.ts'
import { forgottenPage, messagePage, passwordPage, signInPage } from './pages.ts'
import type { Secrets } from './secrets.ts'
import { signIn, stretch } from './sign-in.ts'

const Credentials = z.object({ email: z.string().trim().max(320), password: z.string().max(500) })
const NewPassword = z.object({ password: z.string().min(10).max(200), repeat: z.string().max(200) })

/** What is asked for a new password with; the connection is the directory of people that the e-mail belongs to. */
const Forgotten = z.object({ email: z.email().trim().max(320), connection: z.literal('embedded') })

const wrong = 'E-mail or password is wrong.'
const sent =
  'If this e-mail belongs to somebody who can sign in here, a link with which to choose a new password is on its way to it. It may take a minute.'
const tooMany = 'Too many failed attempts. Please wait 15 minutes and try again, or choose a new password.'

/**
 * The provider makes addresses of the headers of a request, and believes the first of several. It is shown those that the
 * configuration has, and the caller that the proxies which are trusted have named.
 */
function asConfigured(raw: IncomingMessage, origin: string, caller: string): void {
  const { host, protocol } = new URL(origin)
  for (const name of Object.keys(raw.headers))
    if (name === 'forwarded' || name.startsWith('x-forwarded-')) delete raw.headers[name]
  Object.assign(raw.headers, { host, 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-for': caller })
}

/**
 * Mounts the provider below /oidc, its sign-in page at /login/{uid}, and the pages of passwords at /account/password: there one
 * asks for a link, and at /account/password/{token} it leads to a new one.
 */
export function identityRoutes(context: Context, provider: Provider, { cookieKeys }: Secrets) {
  const { origin } = context.config
  const secure = origin.startsWith('https:')
  provider.proxy = true
  return async (app: FastifyInstance): Promise<void> => {
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
        reply.raw.setHeader('x-content-type-options', 'nosniff')
        reply.raw.setHeader('x-frame-options', 'DENY')
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
      const expired = (reply: FastifyReply) =>
        html(reply, 400, messagePage('Please start again', 'This sign-in has expired.', origin))

      scope.get('/login/:uid', async (request, reply) => {
        const details = await interaction(provider, request.raw, reply.raw)
        return details ? html(reply, 200, signInPage({})) : expired(reply)
      })

      scope.post('/login/:uid', async (request, reply) => {
        if (!(await interaction(provider, request.raw, reply.raw))) return expired(reply)
        const given = Credentials.safeParse(request.body)
        if (!given.success) return html(reply, 400, signInPage({ error: wrong }))
        const { email, password } = given.data
        const knows = (owner: { id: string; hash: string }) => isKnownDevice(cookieKeys, owner, request.headers.cookie)
        const outcome = await signIn(context, { email, password, caller: callerOf(request.ip), knows })
        if ('refused' in outcome) {
          const many = outcome.refused === 'too many'
          if (many) void reply.header('retry-after', stretch)
          return html(reply, many ? 429 : 401, signInPage({ email, error: many ? tooMany : wrong }))
        }
        void reply.header('set-cookie', deviceCookie(cookieKeys, { ...outcome.account, hash: outcome.hash }, secure))
        const login = { accountId: outcome.account.id, remember: true }
        const next = await provider.interactionResult(
          request.raw,
          reply.raw,
          { login },
          { mergeWithLastSubmission: false },
        )
        return reply.redirect(next, 303)
      })

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
        // Not waited for: the time that the answer takes would tell that there is such an account.
        writeLink(context, given.data.email).catch((error: unknown) =>
          context.log.error({ err: error }, 'no link sent'),
        )
        return html(reply, 200, messagePage('Look in your mailbox', sent, origin))
      })

      const usedUp = (reply: FastifyReply) =>
        html(
          reply,
          410,
          messagePage('This link is used up', 'Ask for a new one: press ‘Forgot password’ where you sign in.', origin),
        )

      scope.get<{ Params: { token: string } }>('/account/password/:token', async (request, reply) =>
        (await tokenIsGood(context.idp, request.params.token)) ? html(reply, 200, passwordPage()) : usedUp(reply),
      )
      scope.post<{ Params: { token: string } }>('/account/password/:token', async (request, reply) => {
        const given = NewPassword.safeParse(request.body)
        if (!given.success) return html(reply, 400, passwordPage('The password must have at least 10 characters.'))
        if (given.data.password !== given.data.repeat)
          return html(reply, 400, passwordPage('The two passwords differ.'))
        const owner = await setPassword(context.idp, request.params.token, given.data.password)
        if (!owner) return usedUp(reply)
        void reply.header('set-cookie', deviceCookie(cookieKeys, owner, secure))
        return html(reply, 200, messagePage('Password saved', 'You can sign in now.', origin))
      })
    })
  }
}

type Raw = Parameters<Provider['interactionDetails']>

/** The sign-in that the cookie and the address belong to; undefined when it has expired or is another's. */
async function interaction(provider: Provider, request: Raw[0], response: Raw[1]) {
  try {
    const details = await provider.interactionDetails(request, response)
    return request.url?.startsWith(`/login/${details.uid}`) ? details : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}
