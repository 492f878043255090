import classes from './leaving.module.css'

/** Milliseconds in which a dialog leaves (estate specification, section 9). */
export const dialogExit = 300

/**
 * Lets a copy of an element fade where it stood: whoever closes a dialog takes it off the page at once, and it is seen to go
 * all the same. Nobody can press or read the copy.
 */
export function fadeAway(element: Element): void {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const copy = element.cloneNode(true) as HTMLElement
  for (const one of [copy, ...copy.querySelectorAll('[role], [id], [aria-live]')])
    for (const name of ['role', 'id', 'aria-live', 'aria-modal']) one.removeAttribute(name)
  copy.inert = true
  copy.setAttribute('aria-hidden', 'true')
  copy.setAttribute('data-leaving', '')
  copy.classList.add(classes.leaving!)
  copy.style.animationDuration = `${dialogExit}ms`
  document.body.append(copy)
  setTimeout(() => copy.remove(), dialogExit)
}
