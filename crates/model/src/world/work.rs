//! Where blocking and heavy work runs: threads in the real world, at once and in order in a simulation.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Runs closures that would block or burn for long.
pub trait Work: Send + Sync {
    /// Runs the job to its end, somewhere; may return before or after that.
    fn spawn(&self, job: Box<dyn FnOnce() + Send>);

    /// True if [`Work::spawn`] returns only when the job has ended.
    fn is_inline(&self) -> bool;
}

/// Runs a closure as [`Work`] and gives its value. The future owns all it needs.
pub fn run<T, F>(work: &Arc<dyn Work>, job: F) -> impl Future<Output = T> + Send + use<T, F>
where
    T: Send + 'static,
    F: FnOnce() -> T + Send + 'static,
{
    let work = work.clone();
    async move {
        if work.is_inline() {
            return job();
        }
        let slot =
            Arc::new(Slot { value: Mutex::new(None), waker: Mutex::new(None), done: AtomicBool::new(false) });
        let filler = slot.clone();
        work.spawn(Box::new(move || filler.fill(job())));
        std::future::poll_fn(move |context| slot.poll(context)).await
    }
}

/// Where the value of a job waits for its caller.
struct Slot<T> {
    value: Mutex<Option<T>>,
    waker: Mutex<Option<Waker>>,
    done: AtomicBool,
}

impl<T> Slot<T> {
    fn fill(&self, value: T) {
        *self.value.lock().expect("no panic while held") = Some(value);
        self.done.store(true, Ordering::Release);
        if let Some(waker) = self.waker.lock().expect("no panic while held").take() {
            Waker::wake(waker);
        }
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<T> {
        *self.waker.lock().expect("no panic while held") = Some(context.waker().clone());
        if !self.done.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        let value = self.value.lock().expect("no panic while held").take();
        Poll::Ready(value.expect("filled before done was set, and taken once"))
    }
}

/// Runs every job at once, in the caller: for simulations and tests.
pub struct InlineWork;

impl Work for InlineWork {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        job();
    }

    fn is_inline(&self) -> bool {
        true
    }
}

/// A few threads that take jobs in order. Dropping it ends them after their queue is empty.
pub struct ThreadWork {
    sender: std::sync::mpsc::Sender<Box<dyn FnOnce() + Send>>,
}

impl ThreadWork {
    /// Starts `threads` threads with that name.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(name: &str, threads: usize) -> std::io::Result<ThreadWork> {
        let (sender, receiver) = std::sync::mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..threads {
            let receiver = receiver.clone();
            std::thread::Builder::new().name(name.to_owned()).spawn(move || {
                loop {
                    let job = receiver.lock().expect("jobs run outside the lock").recv();
                    match job {
                        Ok(job) => job(),
                        Err(_) => return,
                    }
                }
            })?;
        }
        Ok(ThreadWork { sender })
    }
}

impl Work for ThreadWork {
    fn spawn(&self, job: Box<dyn FnOnce() + Send>) {
        // The threads live as long as the sender.
        self.sender.send(job).expect("worker threads are running");
    }

    fn is_inline(&self) -> bool {
        false
    }
}
