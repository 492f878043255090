import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'

/** Puts the passkey's answer into the form that requested it, and sends the form. */
const submit = `
for (const form of document.querySelectorAll('form[data-passkey]'))
  form.addEventListener('submit', async (event) => {
    if (form.elements.response.value) return
    event.preventDefault()
    const { startAuthentication, startRegistration } = SimpleWebAuthnBrowser
    const start = form.dataset.passkey === 'create' ? startRegistration : startAuthentication
    const status = form.querySelector('[role=status]')
    status.textContent = ''
    try {
      const answer = await start({ optionsJSON: JSON.parse(form.dataset.options) })
      form.elements.response.value = JSON.stringify(answer)
      form.submit()
    } catch {
      status.textContent = 'No passkey was used. Try again, or choose another way.'
    }
  })
`

let script: Promise<string> | undefined

/**
 * The script of the provider's passkey pages, served from the product's own address because the pages allow no inline scripts.
 */
export function passkeysScript(): Promise<string> {
  return (script ??= load())
}

async function load(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve('@simplewebauthn/browser')
  const folder = entry.slice(0, entry.lastIndexOf(path.join('@simplewebauthn', 'browser')))
  const library = path.join(folder, '@simplewebauthn', 'browser', 'dist', 'bundle', 'index.umd.min.js')
  return (await readFile(library, 'utf8')) + submit
}
