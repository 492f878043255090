import { withoutLinks } from '@caretaker/rules/links/web-address.ts'
import type { Mail } from './mail.ts'

export interface Letter {
  to: string
  subject: string
  greeting: string
  /** The first line of a paragraph with several lines is its heading. */
  paragraphs: readonly (string | readonly string[])[]
  /** The button and its target. Addresses come from the configuration, never from a request. */
  link: { label: string; address: string }
  /** Shown below the link. */
  note: string
  /** A less prominent alternative at the end: text or a second link. */
  aside?: string | { label: string; address: string }
  /** A domain that the client owns, which is written as it is although a mail program may turn it into a link. */
  domain?: string
}

interface Reader {
  email: string
  name: string
}

/** For new users: the link to choose a password, or the sign-in page if another provider keeps passwords. */
export function invitation(to: Reader, { by, client, link }: { by: string; client: string; link: Link }): Mail {
  return asMail({
    to: to.email,
    subject: `You are invited to ${client} on Caretaker`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `${by} has given you access to ${client} on Caretaker, the portal for connected building devices.`,
      link.kind === 'password'
        ? 'Choose a password to sign in with this e-mail address.'
        : 'Sign in with this e-mail address to begin.',
    ],
    link: { label: link.kind === 'password' ? 'Choose a password' : 'Sign in', address: link.address },
    note: link.kind === 'password' ? oneTime : unexpected,
  })
}

export function passwordReset(to: Reader, { by, address }: { by: string; address: string }): Mail {
  return asMail({
    to: to.email,
    subject: 'Choose a new password for Caretaker',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `${by} has asked for a new password for you.`,
      'Your current password stays valid until you choose a new one.',
    ],
    link: { label: 'Choose a new password', address },
    note: oneTime,
  })
}

/** For a user for whom a new password was requested at the sign-in page, by them or by someone else. */
export function passwordForgotten(to: Reader, address: string): Mail {
  return asMail({
    to: to.email,
    subject: 'Choose a new password for Caretaker',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      'Someone asked for a link to sign in with this e-mail address.',
      'Your current password stays valid until you choose a new one. If you still know it, this link also lets you sign in with it, even while others are locked out.',
    ],
    link: { label: 'Choose a new password', address },
    note: oneTime,
  })
}

/** For a user whose account was tried with wrong passwords until the caller was locked out. */
export function triedPasswords(to: Reader, { times, address }: { times: number; address: string }): Mail {
  return asMail({
    to: to.email,
    subject: 'Wrong passwords were tried for your Caretaker account',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Someone entered ${times} wrong passwords for your account from one location. Further attempts from there are blocked for a while.`,
      'If it was you, wait 15 minutes, or request a link to sign in immediately.',
      'If it was not you, you do not need to do anything: nobody got into your account. You can sign in as usual in browsers that you have used before.',
    ],
    link: { label: 'Request a link', address },
    note: 'You get this e-mail at most once a day.',
  })
}

/** For the owner of an account for which wrong codes were entered after the correct password. */
export function triedCodes(to: Reader, { times, address }: { times: number; address: string }): Mail {
  return asMail({
    to: to.email,
    subject: 'Wrong codes were tried for your Caretaker account',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Someone entered your password and then ${times} wrong codes instead of your second factor.`,
      'If it was you, wait for the next code of your authenticator app, or use a recovery code.',
      'If it was not you, someone knows your password: choose a new one now.',
    ],
    link: { label: 'Choose a new password', address },
    note: 'You get this e-mail at most once a day.',
  })
}

/** For the owner of an account whose second factor was added, removed or reset. */
export function factorsChanged(to: Reader, { change, address }: { change: string; address: string }): Mail {
  return asMail({
    to: to.email,
    subject: 'The second factor of your Caretaker account was changed',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `This was changed: ${change}.`,
      'If you did not expect it, choose a new password now and ask a manager in your organisation for help.',
    ],
    link: { label: 'Choose a new password', address },
    note: 'You get this e-mail at every change of your second factors.',
  })
}

/** For the owner of an account that the provider of a client has signed in for the first time. */
export function linkedToProvider(to: Reader, { name, address }: { name: string; address: string }): Mail {
  return asMail({
    to: to.email,
    subject: 'Your Caretaker account was used with single sign-on',
    greeting: `Hello ${to.name},`,
    paragraphs: [
      `Someone signed in to your account with ${name}, the provider of your organisation, for the first time. From now on, this is possible.`,
      'If it was not you, choose a new password, which also ends all sessions, and ask a manager in your organisation for help.',
    ],
    link: { label: 'Choose a new password', address },
    note: 'You get this e-mail once for each account at the provider.',
  })
}

/** The link in an invitation. */
export interface Link {
  kind: 'password' | 'sign in'
  address: string
}

const oneTime = 'The link works once, for three days. If you did not expect this e-mail, you can ignore it.'
const unexpected = 'If you did not expect this e-mail, you can ignore it.'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function withNoOtherLinks({ to, subject, greeting, paragraphs, link, note, aside, domain }: Letter): Letter {
  const safe = (text: string) =>
    domain === undefined ? withoutLinks(text) : text.split(domain).map(withoutLinks).join(domain)
  return {
    to,
    subject: safe(subject),
    greeting: safe(greeting),
    paragraphs: paragraphs.map((words) => (typeof words === 'string' ? safe(words) : words.map(safe))),
    link: { ...link, label: safe(link.label) },
    note: safe(note),
    ...(aside !== undefined && {
      aside: typeof aside === 'string' ? safe(aside) : { ...aside, label: safe(aside.label) },
    }),
  }
}

/**
 * The e-mail as plain text and as simple HTML with the same words. Only the given links are links: a name that was
 * stored with a web address, before those were rejected or by an identity provider, does not become one.
 */
export function asMail(letter: Letter): Mail {
  const { to, subject, greeting, paragraphs, link, note, aside } = withNoOtherLinks(letter)
  const last = aside === undefined ? [] : [typeof aside === 'string' ? aside : `${aside.label}:\n${aside.address}`]
  const inText = paragraphs.map((words) => (typeof words === 'string' ? words : words.join('\n')))
  const text = [greeting, ...inText, `${link.label}:\n${link.address}`, note, ...last].join('\n\n')
  const small = (inner: string) => `<p style="margin:12px 0 0;color:#5f6978;font-size:14px">${inner}</p>`
  const end =
    aside === undefined
      ? ''
      : typeof aside === 'string'
        ? small(escaped(aside))
        : small(`<a href="${escaped(aside.address)}" style="color:#5f6978">${escaped(aside.label)}</a>`)
  const lines = ([first, ...others]: readonly string[]) =>
    [`<b>${escaped(first ?? '')}</b>`, ...others.map(escaped)].join('<br>')
  const paragraph = (words: string | readonly string[]) =>
    `<p style="margin:0 0 16px">${typeof words === 'string' ? escaped(words) : lines(words)}</p>`
  // Without a viewport a phone would shrink the page.
  const html = `<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(subject)}</title></head>
<body style="margin:0;padding:12px;background:#f6f7f9;color:#14181f;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere">
<div style="max-width:520px;margin:0 auto;padding:24px;background:#fff;border:1px solid #e4e7ec;border-radius:12px">
${[greeting, ...paragraphs].map(paragraph).join('\n')}
<p style="margin:24px 0"><a href="${escaped(link.address)}" style="display:inline-block;padding:10px 20px;background:#2f55c8;color:#fff;border-radius:8px;text-decoration:none">${escaped(link.label)}</a></p>
<p style="margin:0;color:#5f6978;font-size:14px">${escaped(note)}</p>
${end && `${end}\n`}</div></body></html>`
  return { to, subject, text: `${text}\n`, html }
}
