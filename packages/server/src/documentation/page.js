// Searches the calls, opens the one that the address names, and copies code. The page can be read without it.
const search = document.querySelector('#search')
const menu = document.querySelector('.menu')
const wide = matchMedia('(width >= 64em)')

function find() {
  const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of document.querySelectorAll('[data-find]'))
    entry.hidden = !words.every((word) => entry.dataset.find.includes(word))
  for (const subject of document.querySelectorAll('[data-subject]')) {
    subject.hidden = !subject.querySelector('[data-find]:not([hidden])')
    const branch = subject.closest('nav') && subject.querySelector('details')
    if (branch) branch.open = words.length > 0
  }
  for (const part of document.querySelectorAll('[data-prose]')) part.hidden = words.length > 0
  const calls = document.querySelectorAll('.call')
  const found = document.querySelectorAll('.call:not([hidden])').length
  document.querySelector('#found').textContent = words.length
    ? `${found} of ${calls.length} calls`
    : `${calls.length} calls`
  document.querySelector('#nothing').hidden = found > 0
}

/** Opens what the address names and goes there; a search that hides it ends. */
function follow() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)))
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') !== location.hash) link.removeAttribute('aria-current')
    else {
      link.setAttribute('aria-current', 'true')
      link.closest('details').open = true
    }
  }
  if (!target) return
  if (target.closest('[hidden]')) {
    search.value = ''
    remember()
    find()
  }
  if (target instanceof HTMLDetailsElement) target.open = true
  if (!wide.matches) menu.open = false
  target.scrollIntoView()
}

/** What is searched for stands in the address, so that it can be shared. */
function remember() {
  const url = new URL(location.href)
  if (search.value.trim()) url.searchParams.set('search', search.value.trim())
  else url.searchParams.delete('search')
  history.replaceState(null, '', url)
}

function addCopyButtons() {
  // Only a secure page may write to the clipboard.
  if (!isSecureContext) return
  for (const figure of document.querySelectorAll('figure.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.setAttribute('aria-label', `Copy ${figure.querySelector('figcaption').textContent}`)
    button.addEventListener('click', () => void copy(figure.querySelector('code').textContent, button))
    figure.append(button)
  }
}

async function copy(text, button) {
  await navigator.clipboard.writeText(text)
  button.textContent = 'Copied'
  setTimeout(() => (button.textContent = 'Copy'), 2000)
}

search.addEventListener('input', () => {
  remember()
  find()
})
search.form.addEventListener('submit', (event) => {
  event.preventDefault()
  const first = document.querySelector('.call:not([hidden])')
  if (search.value.trim() && first) location.hash = first.id
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target === search) return
  event.preventDefault()
  search.focus()
})
// A call that is opened can be linked to; one that the address named and is closed is named no more.
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (!target.matches?.('.call')) return
    const url = new URL(location.href)
    if (target.open) url.hash = target.id
    else if (location.hash === `#${target.id}`) url.hash = ''
    if (url.href !== location.href) history.replaceState(null, '', url)
  },
  true,
)
addEventListener('hashchange', follow)
menu.open = wide.matches
wide.addEventListener('change', () => (menu.open = wide.matches))
search.value = new URLSearchParams(location.search).get('search') ?? ''
addCopyButtons()
if (search.value) find()
follow()
