import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import type Provider from 'oidc-provider'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { callerOf } from '../http/caller.ts'
import { recordSignIn } from '../identity/access-record.ts'
import { obligationOfAccount } from '../identity/sign-in-policy.ts'
import { uncount, within } from '../postgres/throttle.ts'
import type { Account } from './accounts.ts'
import { findAccount, findCredentials } from './accounts.ts'
import { enrolmentPage, passkeyPage, recoveryCodesPage, secondFactorPage } from './factor-pages.ts'
import { beginApp, codesIfNone, confirmApp, factorsOf, hasFactor, pendingApp } from './factors.ts'
import type { Methods, Step } from './interaction.ts'
import { factorOfClient, interaction } from './interaction.ts'
import { deviceCookie, isKnownDevice } from './known-device.ts'
import { applicationFiles } from './application-files.ts'
import { messagePage, signInPage } from './pages.ts'
import { accountOfPasskey, addPasskey, creationOptions, requestOptions } from './passkeys.ts'
import { passkeysScript } from './passkeys-script.ts'
import { isRemembered, rememberedCookie } from './remembered-browser.ts'
import { checkCode, recordFactorChange } from './second-factor.ts'
import type { Secrets } from './secrets.ts'
import { signIn, stretch } from './sign-in.ts'
import type { DirectoryMembers } from './sso-account.ts'
import { isCurrent, requiredConnection } from './sso-account.ts'
import type { Providers } from './sso-provider.ts'
import type { SignInPages } from './sso-routes.ts'
import { ssoRoutes } from './sso-routes.ts'

const Credentials = z.object({ email: z.string().trim().max(320), password: z.string().max(500) })
const Remember = z.object({ remember: z.literal('yes').optional() })
const Code = Remember.extend({ code: z.string().trim().min(1).max(40) })
const Passkey = Remember.extend({ response: z.string().max(8000).transform(parsed) })

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wrong = 'E-mail or password is wrong.'
const tooMany =
  'Too many failed attempts. Please wait 15 minutes and try again, or request a link by e-mail to sign in at once.'
const busy = 'Many people are signing in at the moment. Please try again in a minute.'
const wrongCode = 'The code is wrong or was used already. Wait for the next one and try again.'
const tooManyCodes = (seconds: number) =>
  `Too many wrong codes. Please wait ${seconds / 60} minutes and try again, or use a passkey.`
const wrongPasskey = 'This passkey was not accepted. Try again, or choose another way.'
/** Failed passkeys of one caller for one account, or for none. */
const failedPasskeys = { most: 10, seconds: 15 * 60 }
const tooManyPasskeys =
  'Too many passkeys were not accepted. Please wait 15 minutes and try again, or choose another way.'

interface EnrolledFactor {
  uid: string
  account: Account
  sso: Step['sso']
  /** For the audit and the e-mail to the person. */
  change: string
  factor: 'otp' | 'hwk'
}

interface SignInParts {
  context: Context
  provider: Provider
  secrets: Secrets
  members: DirectoryMembers
  providers: Providers
}

/** The pages of a sign-in at /login/{uid}: password or passkey, then the second factor. */
export function signInRoutes(
  scope: FastifyInstance,
  { context, provider, secrets, members, providers }: SignInParts,
): void {
  const { config, idp } = context
  const { origin } = config
  const { cookieKeys } = secrets
  const secure = origin.startsWith('https:')
  const html = (reply: FastifyReply, status: number, page: string) =>
    reply.status(status).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(page)
  const expired = (reply: FastifyReply) =>
    html(reply, 400, messagePage('Please start again', 'This sign-in has expired.', origin))
  const addingAt = ({ uid, account }: { uid: string; account: Account }) =>
    ({ account, place: `sign-in ${uid}` }) as const
  const addressOf = (uid: string) => `/login/${uid}`
  const first = (state: Parameters<typeof signInPage>[0], uid: string) =>
    signInPage({ ...state, passkeyAddress: `${addressOf(uid)}/passkey`, prefetched: applicationFiles() })

  const save = (request: FastifyRequest, reply: FastifyReply, result: InteractionResults) =>
    provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false })
  const begin = async (request: FastifyRequest, reply: FastifyReply, step: Omit<Step, 'since'>) =>
    save(request, reply, { step: { ...step, since: Date.now() } satisfies Step })

  const finish = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { account, methods, reason, sso }: { account: Account; methods: Methods; reason?: string; sso?: Step['sso'] },
  ) => {
    if (sso && !(await isCurrent(context, sso, account.email))) return expired(reply)
    await recordSignIn(context, {
      action: 'signed in',
      account,
      caller: callerOf(request.ip),
      ...(reason && { reason }),
    })
    const login = { accountId: account.id, remember: true, amr: [...methods], ...(sso && { ts: sso.signedInAt }) }
    return reply.redirect(await save(request, reply, { login, ...(sso && { sso }) }), 303)
  }
  /** The first of the ways in which a person has signed in: at the client's provider, or with the password. */
  const firstMethod = (sso: Step['sso']) => (sso ? 'fed' : 'pwd')

  /** The interaction and the account of a step. If there is none, sends the page of an expired sign-in. */
  const stepped = async (request: FastifyRequest, reply: FastifyReply, ...kinds: Step['kind'][]) => {
    const found = await interaction(provider, request.raw, reply.raw)
    const step = found?.step
    const account = step && kinds.includes(step.kind) ? await findAccount(idp, step.accountId) : undefined
    if (!found || !account) {
      await expired(reply)
      return undefined
    }
    if (step?.kind === 'enrolment' && (await restartsEnrolled(request, reply, account.id))) {
      await reply.redirect(addressOf(found.uid), 303)
      return undefined
    }
    return { uid: found.uid, account, sso: step?.sso }
  }

  /**
   * Restarts a sign-in that is about to add a first factor after one was added elsewhere: this sign-in has proven only
   * the password.
   */
  const restartsEnrolled = async (request: FastifyRequest, reply: FastifyReply, account: string): Promise<boolean> => {
    if (!hasFactor(await factorsOf(idp, account))) return false
    await save(request, reply, {})
    return true
  }

  const askFactor = async (reply: FastifyReply, status: number, uid: string, account: Account, error?: string) => {
    const factors = await factorsOf(idp, account.id)
    const options = factors.passkeys.length
      ? await requestOptions(config, idp, { uid, account: account.id })
      : undefined
    const hasApp = factors.appAddedAt !== null
    return html(reply, status, secondFactorPage({ address: addressOf(uid), options, hasApp, error }))
  }
  const askEnrolment = async (reply: FastifyReply, status: number, uid: string, account: Account, error?: string) => {
    const adding = addingAt({ uid, account })
    const app = (await pendingApp(idp, adding)) ?? (await beginApp(idp, adding))
    const options = await creationOptions(config, idp, adding)
    return html(reply, status, enrolmentPage({ address: addressOf(uid), app, options, error }))
  }

  const remember = async (reply: FastifyReply, account: Account) => {
    const credentials = await findCredentials(idp, account.email)
    if (!credentials?.hash) return
    const { changedAt } = await factorsOf(idp, account.id)
    const owner = { id: account.id, hash: credentials.hash, factorsChangedAt: changedAt }
    void reply.header('set-cookie', rememberedCookie(cookieKeys, owner, secure))
  }

  scope.get('/account/passkeys.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(await passkeysScript()),
  )

  const proceed: SignInPages['proceed'] = async (
    request,
    reply,
    { uid, account, hasFactor: isChecked, reason, sso },
  ) => {
    const checkedFor = isChecked ? sso.tenant : undefined
    const { needsSecondFactor } = await obligationOfAccount(context, account, checkedFor)
    if (isChecked && !needsSecondFactor)
      return finish(request, reply, { account, methods: ['fed', factorOfClient(sso.tenant)], reason, sso })
    const kind = hasFactor(await factorsOf(idp, account.id)) ? 'second factor' : 'enrolment'
    if (kind === 'enrolment' && !needsSecondFactor)
      return finish(request, reply, { account, methods: ['fed'], reason, sso })
    await begin(request, reply, { kind, accountId: account.id, sso })
    return reply.redirect(addressOf(uid), 303)
  }
  const { firstPage, leave } = ssoRoutes(scope, {
    ...{ context, provider, members, providers },
    pages: {
      ...{ html, expired, proceed },
      passwordPage: (reply, uid, email) => html(reply, 200, first({ email }, uid)),
    },
  })

  scope.get('/login/:uid', async (request, reply) => {
    const found = await interaction(provider, request.raw, reply.raw)
    if (!found) return expired(reply)
    const { uid, step } = found
    const account = step && (await findAccount(idp, step.accountId))
    if (!step || !account) return firstPage(request, reply, found)
    if (step.kind === 'second factor') return askFactor(reply, 200, uid, account)
    if (step.kind === 'enrolment') {
      if (await restartsEnrolled(request, reply, account.id)) return firstPage(request, reply, found)
      return askEnrolment(reply, 200, uid, account)
    }
    return html(reply, 200, recoveryCodesPage(addressOf(uid), []))
  })

  scope.post('/login/:uid', async (request, reply) => {
    const found = await interaction(provider, request.raw, reply.raw)
    if (!found) return expired(reply)
    const { uid } = found
    const given = Credentials.safeParse(request.body)
    if (!given.success) return html(reply, 400, first({ error: wrong }, uid))
    const { email, password } = given.data
    const required = await requiredConnection(context, email)
    if (required) return leave(request, reply, found, { ...required, hint: email })
    const { cookie } = request.headers
    const knows = (owner: { id: string; hash: string }) => isKnownDevice(cookieKeys, owner, secure, cookie)
    const outcome = await signIn(context, { email, password, caller: callerOf(request.ip), knows })
    if ('refused' in outcome) {
      if (outcome.refused === 'busy') return html(reply, 503, first({ email, error: busy }, uid))
      if (outcome.refused === 'wrong') return html(reply, 401, first({ email, error: wrong }, uid))
      void reply.header('retry-after', stretch)
      return html(reply, 429, first({ email, error: tooMany, offersLink: true }, uid))
    }
    const { account, hash } = outcome
    void reply.header('set-cookie', deviceCookie(cookieKeys, { ...account, hash }, secure))
    const factors = await factorsOf(idp, account.id)
    if (!hasFactor(factors)) {
      const { needsSecondFactor } = await obligationOfAccount(context, account)
      if (!needsSecondFactor) return finish(request, reply, { account, methods: ['pwd'] })
      await begin(request, reply, { kind: 'enrolment', accountId: account.id })
      return reply.redirect(addressOf(uid), 303)
    }
    const owner = { id: account.id, hash, factorsChangedAt: factors.changedAt }
    if (isRemembered(cookieKeys, owner, secure, cookie))
      return finish(request, reply, { account, methods: ['pwd', 'mfa'], reason: 'remembered browser' })
    await begin(request, reply, { kind: 'second factor', accountId: account.id })
    return reply.redirect(addressOf(uid), 303)
  })

  scope.post('/login/:uid/restart', async (request, reply) => {
    const found = await interaction(provider, request.raw, reply.raw)
    if (!found) return expired(reply)
    await save(request, reply, {})
    return reply.redirect(addressOf(found.uid), 303)
  })

  scope.post('/login/:uid/code', async (request, reply) => {
    const at = await stepped(request, reply, 'second factor')
    if (!at) return reply
    const { uid, account, sso } = at
    const given = Code.safeParse(request.body)
    if (!given.success) return askFactor(reply, 400, uid, account, wrongCode)
    const checked = await checkCode(context, account, { code: given.data.code, caller: callerOf(request.ip) })
    if ('refused' in checked) {
      if (checked.refused === 'wrong') return askFactor(reply, 401, uid, account, wrongCode)
      const { seconds } = checked
      return askFactor(reply.header('retry-after', seconds), 429, uid, account, tooManyCodes(seconds))
    }
    if (given.data.remember) await remember(reply, account)
    const methods = [firstMethod(sso), 'otp', 'mfa'] as const
    return finish(request, reply, { account, methods, reason: checked.accepted, sso })
  })

  scope.get('/login/:uid/passkey', async (request, reply) => {
    const found = await interaction(provider, request.raw, reply.raw)
    if (!found) return expired(reply)
    const { uid, step } = found
    if (step) return reply.redirect(addressOf(uid), 303)
    return html(reply, 200, passkeyPage(addressOf(uid), await requestOptions(config, idp, { uid })))
  })

  // A passkey verifies its user, so it is enough by itself. As a second factor it must belong to the account.
  scope.post('/login/:uid/passkey', async (request, reply) => {
    const found = await interaction(provider, request.raw, reply.raw)
    if (!found) return expired(reply)
    const { uid, step } = found
    const given = Passkey.safeParse(request.body)
    const tried = step && (await findAccount(idp, step.accountId))
    const caller = callerOf(request.ip)
    const counted = ['passkey', tried?.id ?? '', caller]
    // Counted before it is verified: beyond the limit a correct answer is refused too.
    const isFew = await within(context.db, counted, failedPasskeys)
    const id =
      isFew && given.success ? await accountOfPasskey(config, idp, { uid, response: given.data.response }) : undefined
    const account = id && (step?.accountId ?? id) === id ? await findAccount(idp, id) : undefined
    if (!account) {
      if (isFew)
        await recordSignIn(context, {
          action: 'sign-in failed',
          account: tried,
          caller,
          reason: 'passkey not accepted',
        })
      else void reply.header('retry-after', failedPasskeys.seconds)
      const [status, error] = isFew ? ([401, wrongPasskey] as const) : ([429, tooManyPasskeys] as const)
      if (tried && step?.kind === 'second factor') return askFactor(reply, status, uid, tried, error)
      const options = await requestOptions(config, idp, { uid })
      return html(reply, status, passkeyPage(addressOf(uid), options, error))
    }
    await uncount(context.db, [counted])
    const required = step ? undefined : await requiredConnection(context, account.email)
    if (required) return leave(request, reply, found, { ...required, hint: account.email })
    if (step && given.data?.remember) await remember(reply, account)
    return finish(request, reply, { account, methods: ['hwk', 'mfa'], reason: 'passkey', sso: step?.sso })
  })

  const enrolled = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { uid, account, sso, change, factor }: EnrolledFactor,
  ) => {
    await recordFactorChange(context, account, { change, caller: callerOf(request.ip) })
    const codes = await codesIfNone(idp, account.id)
    if (!codes) return finish(request, reply, { account, methods: [firstMethod(sso), factor, 'mfa'], sso })
    await begin(request, reply, { kind: 'recovery codes', accountId: account.id, sso })
    return html(reply, 200, recoveryCodesPage(addressOf(uid), codes))
  }

  scope.post('/login/:uid/app', async (request, reply) => {
    const at = await stepped(request, reply, 'enrolment')
    if (!at) return reply
    const given = Code.safeParse(request.body)
    const code = given.data?.code.replaceAll(/\s/g, '') ?? ''
    if (!(await confirmApp(idp, addingAt(at), { code, isFirst: true })))
      return askEnrolment(reply, 400, at.uid, at.account, 'This is not the code that the app shows now. Try again.')
    return enrolled(request, reply, { ...at, change: 'authenticator app added', factor: 'otp' })
  })

  scope.post('/login/:uid/new-passkey', async (request, reply) => {
    const at = await stepped(request, reply, 'enrolment')
    if (!at) return reply
    const given = Passkey.safeParse(request.body)
    const passkey = { name: 'Passkey', response: given.data?.response, isFirst: true }
    if (!(await addPasskey(config, idp, addingAt(at), passkey)))
      return askEnrolment(reply, 400, at.uid, at.account, 'The passkey was not added. Try again.')
    return enrolled(request, reply, { ...at, change: 'passkey added', factor: 'hwk' })
  })

  scope.post('/login/:uid/continue', async (request, reply) => {
    const at = await stepped(request, reply, 'recovery codes')
    if (!at) return reply
    const { account, sso } = at
    return finish(request, reply, { account, methods: [firstMethod(sso), 'mfa'], sso })
  })
}
