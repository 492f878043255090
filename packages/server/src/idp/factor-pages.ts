import { renderSVG } from 'uqr'
import { escaped, page } from './pages.ts'
import { daysRemembered } from './remembered-browser.ts'

const alert = (error: string | undefined) => (error ? `<p class="error" role="alert">${escaped(error)}</p>` : '')

const scripts = '<script src="/account/passkeys.js" defer></script>'

interface PasskeyForm {
  kind: 'get' | 'create'
  action: string
  options: unknown
  label: string
  /** HTML of fields in addition to the browser's answer. */
  fields?: string
  isSecond?: boolean
}

/** A form that the script fills with the passkey's answer. */
const passkeyForm = ({ kind, action, options, label, fields = '', isSecond = false }: PasskeyForm) =>
  `<form method="post" action="${escaped(action)}" data-passkey="${kind}" data-options="${escaped(JSON.stringify(options))}">
<input type="hidden" name="response">${fields}
<button type="submit"${isSecond ? ' class="second"' : ''}>${label}</button>
<p class="hint" role="status"></p>
<noscript><p class="hint">Passkeys need JavaScript, which is turned off in this browser.</p></noscript>
</form>`

const remember = `<label class="check"><input type="checkbox" name="remember" value="yes">Remember this browser for ${daysRemembered} days</label>`

/** The page to sign in with a passkey, without a password. */
export function passkeyPage(address: string, options: unknown, error?: string): string {
  return page(
    'Sign in with a passkey',
    `<h1>Sign in with a passkey</h1>
${alert(error)}
<p class="text">Your device asks for your fingerprint, your face or its PIN.</p>
${passkeyForm({ kind: 'get', action: `${address}/passkey`, options, label: 'Use passkey' })}
<p class="aside"><a href="${escaped(address)}">Sign in with a password</a></p>${scripts}`,
  )
}

interface SecondFactor {
  address: string
  /** Options of a passkey request; null if the account has no passkey. */
  options: unknown
  hasApp: boolean
  error?: string | undefined
}

/** The page of the second step of a sign-in. */
export function secondFactorPage({ address, options, hasApp, error }: SecondFactor): string {
  const passkey = options
    ? passkeyForm({
        ...{ kind: 'get', action: `${address}/passkey`, options, label: 'Use passkey' },
        ...{ fields: remember, isSecond: hasApp },
      })
    : ''
  const label = hasApp ? 'Code from your authenticator app, or a recovery code' : 'Recovery code'
  const code = `<form method="post" action="${escaped(address)}/code">
<label for="code">${label}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="40"${options && !hasApp ? '' : ' autofocus'}>
${remember}
<button type="submit"${options && !hasApp ? ' class="second"' : ''}>Continue</button>
</form>`
  return page(
    'Confirm that it is you',
    `<h1>Confirm that it is you</h1>
${alert(error)}
${hasApp ? code + passkey : passkey + code}
<p class="hint">If you have lost your device and your recovery codes, ask a manager to reset your second factor.</p>
<form method="post" action="${escaped(address)}/restart"><button type="submit" class="second">Sign in as someone else</button></form>
${options ? scripts : ''}`,
  )
}

interface Enrolment {
  address: string
  app: { key: string; address: string }
  options: unknown
  error?: string | undefined
}

/** The page to add a first second factor, for a person whose client requires one. */
export function enrolmentPage({ address, app, options, error }: Enrolment): string {
  return page(
    'Add a second factor',
    `<h1>Add a second factor</h1>
${alert(error)}
<p class="text">Your client requires a second factor with your role. Choose one of the two. You can add others under My account.</p>
<h2>Passkey</h2>
<p class="hint">Your device or a security key confirms that it is you.</p>
${passkeyForm({ kind: 'create', action: `${address}/new-passkey`, options, label: 'Add passkey' })}
<h2>Authenticator app</h2>
<p class="hint">Scan the code with the app, or type in the key.</p>
<div class="qr" role="img" aria-label="QR code of the key shown below">${renderSVG(app.address, { border: 0 })}</div>
<p class="hint">Key: <span class="key">${app.key.match(/.{1,4}/g)!.join(' ')}</span></p>
<form method="post" action="${escaped(address)}/app">
<label for="code">Code that the app shows</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required maxlength="10">
<button type="submit">Add authenticator app</button>
</form>${scripts}`,
  )
}

/** The page with a person's recovery codes, shown once. */
export function recoveryCodesPage(address: string, codes: readonly string[]): string {
  return page(
    'Save your recovery codes',
    `<h1>Save your recovery codes</h1>
<p class="text">${
      codes.length
        ? 'Each code works once instead of your second factor. Keep them where you keep your passwords: they are not shown again.'
        : 'The codes are not shown again. You can get new ones under My account.'
    }</p>
${codes.length ? `<ul class="codes">${codes.map((code) => `<li>${code}</li>`).join('')}</ul>` : ''}
<form method="post" action="${escaped(address)}/continue"><button type="submit">Continue</button></form>`,
  )
}
