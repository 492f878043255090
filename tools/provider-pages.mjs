import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './child.mjs'

const server = (file) => import(pathToFileURL(path.join(root, 'packages/server/src/idp', file)).href)

/**
 * The pages of the embedded identity provider by name, as the server sends them. They do not include their script,
 * which needs the server.
 *
 * @returns {Promise<Record<string, string>>}
 */
export async function providerPages() {
  const pages = await server('pages.ts')
  const factors = await server('factor-pages.ts')
  const [address, options, error] = ['/login/x', { challenge: 'x' }, 'This was not accepted.']
  const app = { key: 'ABCDEFGH', address: 'otpauth://totp/Caretaker?secret=ABCDEFGH' }
  const all = {
    'sign in': pages.signInPage({ passkeyAddress: address }),
    'sign in, locked out': pages.signInPage({
      email: 'ann@mill.example',
      error,
      offersLink: true,
      passkeyAddress: address,
    }),
    'forgotten password': pages.forgottenPage({ error }),
    'new password': pages.passwordPage({ hasPassword: true }, error),
    question: pages.questionPage('Sign out', 'Do you want to sign out?', 'Sign out'),
    message: pages.messagePage('Please start again', 'This sign-in has expired.', 'https://caretaker.example'),
    passkey: factors.passkeyPage(address, options, error),
    'second factor': factors.secondFactorPage({ address, options, hasApp: true, error }),
    'second factor, passkey only': factors.secondFactorPage({ address, options, hasApp: false }),
    'add a second factor': factors.enrolmentPage({ address, app, options, error }),
    'recovery codes': factors.recoveryCodesPage(address, ['ABCD-EFGH', 'JKLM-NPQR']),
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, html]) => [name, html.replaceAll(/<script[^>]*><\/script>/g, '')]),
  )
}
