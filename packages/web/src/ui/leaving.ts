import classes from './leaving.module.css'

/** The duration of a dialog's exit animation in ms (estate specification, section 9). */
export const dialogExit = 300

/**
 * Fades out a copy of an element in place: the dialog itself is removed at once. The copy cannot be clicked or read.
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
