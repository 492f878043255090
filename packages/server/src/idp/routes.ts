import type { FastifyInstance, FastifyReply } from 'fastify'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { setPassword, signIn, tokenIsGood } from './accounts.ts'
import { messagePage, passwordPage, signInPage } from './pages.ts'

const Credentials = z.object({ email: z.string().trim().max(320), password: z.string().max(500) })
const NewPassword = z.object({ password: z.string().min(10).max(200), repeat: z.string().max(200) })

const wrong = 'E-mail or password is wrong.'
const tooMany = 'Too many failed attempts. Please wait 15 minutes and try again.'

/** Mounts the provider below /oidc, its sign-in page at /login/{uid} and the password page at /account/password/{token}. */
export function identityRoutes(context: Context, provider: Provider) {
  return async (app: FastifyInstance): Promise<void> => {
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
        html(reply, 400, messagePage('Please start again', 'This sign-in has expired.', context.config.origin))

      scope.get('/login/:uid', async (request, reply) => {
        const details = await interaction(provider, request.raw, reply.raw)
        return details ? html(reply, 200, signInPage({})) : expired(reply)
      })

      scope.post('/login/:uid', async (request, reply) => {
        if (!(await interaction(provider, request.raw, reply.raw))) return expired(reply)
        const given = Credentials.safeParse(request.body)
        if (!given.success) return html(reply, 400, signInPage({ error: wrong }))
        const { email, password } = given.data
        const outcome = await signIn(context.idp, email, password, request.ip)
        if ('refused' in outcome) {
          const many = outcome.refused === 'too many'
          return html(reply, many ? 429 : 401, signInPage({ email, error: many ? tooMany : wrong }))
        }
        const login = { accountId: outcome.account.id, remember: true }
        const next = await provider.interactionResult(
          request.raw,
          reply.raw,
          { login },
          { mergeWithLastSubmission: false },
        )
        return reply.redirect(next, 303)
      })

      const usedUp = (reply: FastifyReply) =>
        html(reply, 410, messagePage('This link is used up', 'Ask for a new one.', context.config.origin))

      scope.get<{ Params: { token: string } }>('/account/password/:token', async (request, reply) =>
        (await tokenIsGood(context.idp, request.params.token)) ? html(reply, 200, passwordPage()) : usedUp(reply),
      )
      scope.post<{ Params: { token: string } }>('/account/password/:token', async (request, reply) => {
        const given = NewPassword.safeParse(request.body)
        if (!given.success) return html(reply, 400, passwordPage('The password must have at least 10 characters.'))
        if (given.data.password !== given.data.repeat)
          return html(reply, 400, passwordPage('The two passwords differ.'))
        if (!(await setPassword(context.idp, request.params.token, given.data.password))) return usedUp(reply)
        return html(reply, 200, messagePage('Password saved', 'You can sign in now.', context.config.origin))
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
