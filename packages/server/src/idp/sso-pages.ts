import { escaped, page } from './pages.ts'

interface FirstPage {
  /** The connections of the client at whose address the sign-in began. */
  connections: readonly { id: string; name: string }[]
  address: string
  email: string
  error?: string | undefined
}

/** The first page of a sign-in: the e-mail address decides how a person signs in. */
export function emailPage({ connections, address, email, error }: FirstPage): string {
  const buttons = connections.map(
    ({ id, name }) => `<form method="post" action="${escaped(address)}/sso">
<input type="hidden" name="connection" value="${escaped(id)}">
<button type="submit">Sign in with ${escaped(name)}</button>
</form>`,
  )
  return page(
    'Sign in',
    `<h1>Sign in</h1>
${error ? `<p class="error" role="alert">${escaped(error)}</p>` : ''}
${buttons.join('\n')}
<form method="post" action="${escaped(address)}/email">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(email)}"${connections.length ? '' : ' autofocus'}>
<button type="submit"${connections.length ? ' class="second"' : ''}>Continue</button>
</form>
<p class="aside"><a href="${escaped(address)}/passkey">Sign in with a passkey</a></p>`,
  )
}

/** Leads to a client's provider, even without scripts. */
export function leavingPage({ name, to, address }: { name: string; to: string; address: string }): string {
  return page(
    `Sign in with ${name}`,
    `<h1>Sign in with ${escaped(name)}</h1>
<p class="text">You are taken to the sign-in page of your organisation.</p>
<p class="text"><a href="${escaped(to)}">Continue to ${escaped(name)}</a></p>
<p class="aside"><a href="${escaped(address)}?other=yes">Sign in another way</a></p>`,
  )
}

/** A sign-in with a client's provider that did not succeed. */
export function failedPage({ text, address }: { text: string; address: string }): string {
  return page(
    'Sign-in failed',
    `<h1>Sign-in failed</h1>
<p class="error" role="alert">${escaped(text)}</p>
<p class="aside"><a href="${escaped(address)}?other=yes">Try again, or sign in another way</a></p>`,
  )
}

/** Shown after the sign-out of a browser that a client's provider had signed in. */
export function signedOutPage({ name, to, back }: { name: string; to: string; back: string }): string {
  return page(
    'Signed out',
    `<h1>Signed out</h1>
<p class="text">You are signed out of Caretaker. You may still be signed in at ${escaped(name)}.</p>
<p class="text"><a href="${escaped(to)}">Sign out of ${escaped(name)} too</a></p>
<p class="aside"><a href="${escaped(back)}">Go to Caretaker</a></p>`,
  )
}
