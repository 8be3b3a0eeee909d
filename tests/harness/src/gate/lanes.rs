//! Work in lanes: what is in one lane runs one after another, in order; two lanes at a time.
//! In: pieces of work, each with its lane. Out: success if all pieces are done, or an error of one piece.

use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::{Result, anyhow};

/// The largest number of lanes in which work runs at a time.
const AT_ONCE: usize = 2;

/// The waiting work, and the lanes in which work runs.
struct Queue<'work, W, L> {
    waiting: Vec<&'work W>,
    busy: Vec<L>,
}

impl<'work, W, L: Copy + PartialEq> Queue<'work, W, L> {
    /// Takes the first piece whose lane is free. Returns `None` if no piece is left, or only pieces of busy lanes; the
    /// worker in such a lane asks again when its piece is done.
    fn take(&mut self, lane_of: impl Fn(&W) -> L) -> Option<&'work W> {
        let free = |work: &&W| !self.busy.contains(&lane_of(work));
        let place = self.waiting.iter().position(free)?;
        let work = self.waiting.remove(place);
        self.busy.push(lane_of(work));
        Some(work)
    }

    fn give_back(&mut self, lane: L) {
        self.busy.retain(|busy| *busy != lane);
    }
}

/// Does all pieces of work on at most two threads; a thread ends at its first error.
pub(super) fn run<W: Sync, L: Copy + PartialEq + Send>(
    works: &[W],
    lane_of: impl Fn(&W) -> L + Sync,
    work_on: impl Fn(&W) -> Result<()> + Sync,
) -> Result<()> {
    let queue = Mutex::new(Queue {
        waiting: works.iter().collect(),
        busy: Vec::new(),
    });
    let queue = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let worker = || -> Result<()> {
        while let Some(work) = { queue().take(&lane_of) } {
            let done = work_on(work);
            queue().give_back(lane_of(work));
            done?;
        }
        Ok(())
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE.min(cores)).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().map_err(|_| anyhow!("a check broke off"))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_lane_is_passed_over_and_taken_up_again() {
        let works = ["a1", "a2", "b1"];
        let lane = |work: &&str| work.as_bytes()[0];
        let mut queue = Queue {
            waiting: works.iter().collect(),
            busy: Vec::new(),
        };
        assert_eq!(queue.take(lane), Some(&"a1"));
        assert_eq!(queue.take(lane), Some(&"b1"));
        assert_eq!(queue.take(lane), None);
        queue.give_back(b'a');
        assert_eq!(queue.take(lane), Some(&"a2"));
    }

    #[test]
    fn everything_is_done_once_and_in_order_within_its_lane() -> Result<()> {
        let works: Vec<usize> = (0..100).collect();
        let done = Mutex::new(Vec::new());
        run(
            &works,
            |work| work % 3,
            |&work| {
                done.lock().unwrap_or_else(PoisonError::into_inner).push(work);
                Ok(())
            },
        )?;
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        for lane in 0..3 {
            let of_lane: Vec<usize> = done.iter().copied().filter(|work| work % 3 == lane).collect();
            assert_eq!(of_lane, (lane..100).step_by(3).collect::<Vec<_>>());
        }
        Ok(())
    }

    #[test]
    fn an_error_is_handed_on() {
        let refused = run(&[1, 2], |&work| work, |_| Err(anyhow!("no")));
        assert!(refused.is_err_and(|error| error.to_string() == "no"));
    }
}
