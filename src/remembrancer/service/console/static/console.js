// The pages work without this script: it saves reloads, and adds keys.
const root = document.documentElement
root.classList.add('scripted')

// Replace one part of the page by the same part of the answer to a form or a link. What is not in the answer to a
// form any more is removed. Without such an answer the result is false, and the browser opens the page itself; the
// answer to a form replaces the whole page, since sending it again could do twice what it did.
async function replacePart(selector, address, options) {
  const response = await fetch(address, { ...options, redirect: 'follow', credentials: 'same-origin' })
  const next = new DOMParser().parseFromString(await response.text(), 'text/html')
  const old = document.querySelector(selector)
  const part = next.querySelector(selector)
  const isSent = options.method === 'POST'
  // A page without the menu is an error, or the sign-in.
  if (!response.ok || !old || next.body.classList.contains('plain') || !(part || isSent)) {
    if (isSent) document.body.replaceWith(document.adoptNode(next.body))
    return isSent
  }
  const focused = document.activeElement?.id
  const following = old.nextElementSibling || old.previousElementSibling
  if (part) old.replaceWith(document.adoptNode(part))
  else old.remove()
  if (isSent || next.querySelector('main > .notice')) showNotice(next)
  const target = focused && document.getElementById(focused)
  if (target) target.focus({ preventScroll: true })
  else if (isSent) focusWithin(document.querySelector(selector) || following)
  startPolling()
  return true
}

function focusWithin(part) {
  const first = part?.querySelector('a, button') || document.getElementById('main')
  first.focus({ preventScroll: true })
}

function showNotice(next) {
  const notice = next.querySelector('main > .notice')
  const old = document.querySelector('main > .notice')
  if (old) old.remove()
  if (notice) document.getElementById('main').prepend(document.adoptNode(notice))
}

// Fields may have the names of properties of their form, such as `action`: only its attributes are read.
async function send(form, submitter) {
  const selector = form.dataset.partial
  const address = new URL(form.getAttribute('action') || location.href, location.href)
  const data = new URLSearchParams(new FormData(form, submitter))
  if (form.getAttribute('method') === 'post') {
    await replacePart(selector, address, { method: 'POST', body: data })
    return
  }
  address.search = data.toString()
  if (await replacePart(selector, address, {})) history.replaceState(null, '', address)
  else location.assign(address)
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!form.dataset.partial) return
  event.preventDefault()
  send(form, event.submitter)
})

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a[data-partial]')
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
    event.preventDefault()
    link.setAttribute('aria-busy', 'true')
    if (await replacePart(link.dataset.partial, link.href, {})) history.replaceState(null, '', link.href)
    else location.assign(link.href)
  }
  const copying = event.target.closest('[data-copy]')
  if (copying) {
    await navigator.clipboard.writeText(document.querySelector(copying.dataset.copy).textContent)
    copying.textContent = 'Copied'
  }
})

document.addEventListener('change', (event) => {
  const field = event.target
  if (field.matches('[data-all]')) {
    const boxes = document.querySelectorAll(`input[type=checkbox][form="${field.form.getAttribute('id')}"]`)
    for (const box of boxes) box.checked = field.checked
  }
  if (field.matches('[data-auto]')) field.form.requestSubmit()
})

document.addEventListener('input', (event) => {
  const output = event.target.matches('input[type=range]') ? event.target.form.querySelector('output') : null
  if (output) output.textContent = event.target.value
})

// Keys: `/` searches, `g` and a letter opens a page, `j` and `k` walk through a list.
let leader = false
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.matches('input, select, textarea') || document.querySelector('dialog[open]')) return
  if (leader) {
    leader = false
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`)
    if (link) link.click()
    return
  }
  const actions = { g: () => (leader = true), '/': focusSearch, '?': showKeys, j: () => walk(1), k: () => walk(-1) }
  if (!actions[event.key]) return
  event.preventDefault()
  actions[event.key]()
})

function focusSearch() {
  const field = document.querySelector('main [data-search]')
  if (field) field.focus()
  else document.querySelector('nav a[data-key="s"]').click()
}

function showKeys() {
  document.getElementById('keys').showModal()
}

function walk(step) {
  const items = [...document.querySelectorAll('main [data-item]')]
  const at = items.findIndex((item) => item.contains(document.activeElement))
  const next = items[at < 0 ? (step > 0 ? 0 : items.length - 1) : at + step]
  const target = next && next.querySelector('a, button, input')
  if (target) target.focus()
}

// A part with `data-poll` is loaded again every few seconds while it asks for it.
let polling = 0
function startPolling() {
  clearTimeout(polling)
  const part = document.querySelector('[data-poll]')
  if (part) polling = setTimeout(() => replacePart(`#${part.id}`, location.href, {}), 1000 * part.dataset.poll)
}

for (const button of document.querySelectorAll('[data-copy]')) button.hidden = !navigator.clipboard
if (matchMedia('(min-width: 801px)').matches) document.querySelector('.menu')?.setAttribute('open', '')
startPolling()
