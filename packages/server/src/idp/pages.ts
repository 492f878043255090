import { longestPassword, shortestPassword } from './password-strength.ts'
import { typeface } from './typeface.ts'

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

interface SignInState {
  /** Address of the page to sign in with a passkey. */
  passkeyAddress?: string
  email?: string
  error?: string
  /** Show the button that e-mails a link: the only remaining way to sign in. */
  offersLink?: boolean
  /** The addresses of files to load while the person types. */
  prefetched?: readonly string[]
}

/** The sign-in page: a plain form that works without scripts and posts to its own address. */
export function signInPage({ email = '', error, offersLink, passkeyAddress, prefetched = [] }: SignInState): string {
  return page(
    'Sign in',
    `<h1>Sign in</h1>
${error ? `<p class="error" role="alert">${escaped(error)}</p>` : ''}
<form method="post">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${email ? '' : ' autofocus'}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${email ? ' autofocus' : ''}>
<button type="submit">Sign in</button>
</form>
${offersLink ? linkForm(email) : ''}
${passkeyAddress ? `<p class="aside"><a href="${escaped(passkeyAddress)}">Sign in with a passkey</a></p>` : ''}
<p class="aside"><a href="/account/password">Forgot password</a></p>
${prefetched.map((address) => `<link rel="prefetch" href="${escaped(address)}">`).join('')}`,
  )
}

const linkForm = (email: string) => `<form method="post" action="/account/password">
<input type="hidden" name="connection" value="embedded"><input type="hidden" name="email" value="${escaped(email)}">
<button type="submit" class="second">Send me a link</button>
</form>`

/** The page to request a password link; `connection` names the user directory that the e-mail belongs to. */
export function forgottenPage({ error }: { error?: string }): string {
  return page(
    'Forgot password',
    `<h1>Forgot password</h1>
${error ? `<p class="error" role="alert">${escaped(error)}</p>` : ''}
<p class="text">We will e-mail you a link to choose a new password.</p>
<form method="post">
<input type="hidden" name="connection" value="embedded">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button type="submit">Send link</button>
</form>`,
  )
}

/** The page that a password link opens: choose a new password, or keep the current one and mark this browser as known. */
export function passwordPage({ hasPassword }: { hasPassword: boolean }, error?: string): string {
  return page(
    'Choose a password',
    `<h1>Choose a password</h1>
${error ? `<p class="error" role="alert">${escaped(error)}</p>` : ''}
<form method="post">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="${shortestPassword}" maxlength="${longestPassword}" autofocus>
<label for="repeat">Repeat password</label>
<input id="repeat" name="repeat" type="password" autocomplete="new-password" required minlength="${shortestPassword}" maxlength="${longestPassword}">
<p class="hint">At least ${shortestPassword} characters and hard to guess, such as three or four unrelated words.</p>
<button type="submit">Save password</button>
</form>
${hasPassword ? keepForm : ''}`,
  )
}

const keepForm = `<form method="post">
<p class="hint">If you remember your password, you can keep it. You can then sign in from this browser even while other devices are locked out.</p>
<input type="hidden" name="keep" value="yes"><button type="submit" class="second">Keep my password</button>
</form>`

/** A page that asks for confirmation; its form posts to the same address. Sent as text/plain, because it has no fields. */
export function questionPage(title: string, text: string, verb: string): string {
  return page(
    title,
    `<h1>${escaped(title)}</h1><p class="text">${escaped(text)}</p>
<form method="post" enctype="text/plain"><button type="submit">${escaped(verb)}</button></form>`,
  )
}

export function messagePage(title: string, text: string, back: string): string {
  return page(
    title,
    `<h1>${escaped(title)}</h1><p class="text">${escaped(text)}</p><p class="aside"><a href="${escaped(back)}">Go to Caretaker</a></p>`,
  )
}

const mark = `<svg width="36" height="36" viewBox="0 0 36 36" aria-hidden="true"><rect width="36" height="36" rx="9" fill="#2f55c8"/>
<path d="M25 12.2a9.2 9.2 0 1 0 0 11.6" fill="none" stroke="#fff" stroke-width="3.6" stroke-linecap="round"/>
<circle cx="18" cy="16.4" r="2.6" fill="#ffd27a"/><path d="M17 17.5h2l.8 4.3h-3.6z" fill="#ffd27a"/></svg>`

export function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} – Caretaker</title>
<style>${typeface()}${style}</style>
</head>
<body><main><div class="brand">${mark}<span>Caretaker</span></div>${content}</main></body>
</html>`
}

const style = `
:root { color-scheme: light dark }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 16px;
  font: 15px/1.45 'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif;
  background: light-dark(#f6f7f9, #0e1116); color: light-dark(#14181f, #e8ebf0) }
main { width: 100%; max-width: 380px; padding: 32px; border-radius: 12px;
  background: light-dark(#fff, #151920); border: 1px solid light-dark(#e4e7ec, #262c36) }
.brand { display: flex; gap: 12px; align-items: center; font-weight: 600; font-size: 17px; margin-bottom: 24px }
h1 { font-size: 22px; letter-spacing: -0.014em; margin: 0 0 16px }
label { display: block; font-weight: 500; font-size: 13px; margin: 12px 0 6px }
input { width: 100%; height: 44px; padding: 0 12px; font: inherit; font-size: 16px; border-radius: 8px;
  border: 1px solid light-dark(#8a94a3, #667180); background: light-dark(#fff, #1c212a); color: inherit }
button { width: 100%; height: 44px; margin-top: 20px; border: 0; border-radius: 8px; background: #2f55c8; color: #fff;
  font: inherit; font-weight: 500; cursor: pointer }
button:hover { background: #2848ab }
.second { background: transparent; color: inherit; border: 1px solid light-dark(#8a94a3, #667180) }
.second:hover { background: light-dark(#eef0f3, #1c212a) }
:focus-visible { outline: 2px solid light-dark(#2f55c8, #6a90f5); outline-offset: 2px }
a { color: light-dark(#2f55c8, #8fb0ff) }
.text { margin: 0 0 12px }
fieldset { border: 0; padding: 0; margin: 0 }
h2 { font-size: 16px; margin: 24px 0 0 }
.check { display: flex; gap: 8px; align-items: center; font-weight: 400; font-size: 14px; margin-top: 16px }
.check input { width: 20px; height: 20px }
.qr { display: block; width: 196px; margin: 12px auto; padding: 8px; background: #fff; border-radius: 8px }
.key, .codes { font-family: ui-monospace, monospace; overflow-wrap: anywhere; user-select: all }
.codes { list-style: none; margin: 0; padding: 12px; display: grid; gap: 6px; border-radius: 8px;
  border: 1px solid light-dark(#e4e7ec, #262c36) }
.aside { margin: 16px 0 0; font-size: 14px }
.hint { font-size: 13px; color: light-dark(#5f6978, #98a2b0); margin: 8px 0 0 }
.error { padding: 10px 12px; border-radius: 8px; margin: 0 0 12px; font-size: 14px;
  background: light-dark(#fdeae6, #3b1c18); color: light-dark(#a92312, #ff9c88) }`
